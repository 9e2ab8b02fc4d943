import { type LanguageWords, words } from "./language.ts";

export const vietnamese: LanguageWords = {
  code: "vi",
  failureOpening: words`lỗi`,
  announcing: words`tôi sẽ`,
  goOn: words`tiếp tục`,
};
