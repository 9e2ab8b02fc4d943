import type { LanguageWords } from "./language.ts";

export const vietnamese: LanguageWords = {
  code: "vi",
  failureOpening: "lỗi",
  failureState: "th[aấ]t[ _]b[aạ]i",
  failureField: "l[oỗ]i",
  announcing: "tôi sẽ",
  atOnce: "ngay bây giờ",
  goOn: "tiếp tục",
  calls: "công cụ",
  answers: "trả lời|câu trả",
};
