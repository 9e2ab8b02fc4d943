import type { LanguageWords } from "./language.ts";

export const indonesian: LanguageWords = {
  code: "id",
  failureState: "gagal",
  refusalState: "ditolak",
  announcing: "saya akan",
  goOn: "lanjutkan|teruskan",
};
