import { type LanguageWords, words } from "./language.ts";

export const korean: LanguageWords = {
  code: "ko",
  failureOpening: words`오류|실패`,
  denial: words`없(?:습|음|다|어|는)|않(?:습|음|았|는)|못(?:했|하|함|합)|불가|실패|시간 ?초과|거부`,
  negatedFault: words`(?:오류|에러|문제|실패|경고)(?:가|이|는|은|도)? ?(?:없(?:습니다|음|다|어요)|발견되지 않\p{L}*)`,
  announcing: words`겠습니다|할게요`,
  goOn: words`계속(?:해|하세요|해줘)?`,
  tally: words`실패`,
  and: words`및|그리고`,
  through: words`부터|에서`,
  all: words`모든|전체|총`,
  doing: words`
    (?:실행|반복|클릭|호출|측정|확인|체크|전송|새로고침|재시도|시도|조회|테스트(?=하|해))(?!\p{L}{0,2}(?:했|됐|되었))|눌러|누르|보내|돌려|돌리|굴려|던져`,
  numbers: words`두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두|열다섯|스무|서른|쉰|백`,
  times: words`번(?!째|호| ?(?:버튼|항목|줄|행|페이지|문제|열|파일|단계|방))|회(?!의|사|원)|차례`,
  endless: words`
    계속(?:해서)?|반복(?:해서|적으로)|여러 번|[수몇]십 ?번|끊임없이|쉬지 않고|\d{0,3} ?(?:초|분|시간)마다|매(?:초|분|시간)|
    (?:앞으로|다음) ?\d{0,3}(?:분|시간)|\d{1,3} ?(?:초|분|시간) ?동안`,
  until: words`때까지`,
  failing: words`실패|오류|에러`,
};
