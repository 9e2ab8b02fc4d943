import { type LanguageWords, words } from "./language.ts";

export const korean: LanguageWords = {
  code: "ko",
  failureOpening: words`오류|실패`,
  denial: words`없(?:습|음|다|어|는)|않(?:습|음|았|는)|못(?:했|하|함|합)|불가|실패|시간 ?초과|거부`,
  negatedFault: words`(?:오류|에러|문제|실패|경고)(?:가|이|는|은|도)? ?(?:없(?:습니다|음|다|어요)|발견되지 않\p{L}*)`,
  announcing: words`겠습니다|할게요`,
  goOn: words`계속(?:해|하세요|해줘)?`,
  tally: words`실패`,
};
