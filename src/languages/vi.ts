import { type LanguageWords, words } from "./language.ts";

export const vietnamese: LanguageWords = {
  code: "vi",
  failureOpening: words`lỗi`,
  announcing: words`tôi sẽ`,
  atOnce: words`ngay bây giờ`,
  goOn: words`tiếp tục`,
  calls: words`công cụ`,
  answers: words`trả lời|câu trả`,
};
