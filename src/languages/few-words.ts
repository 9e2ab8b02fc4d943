import { type LanguageWords, words } from "./language.ts";

/** Languages of which few words are known so far. */
export const fewWords: readonly LanguageWords[] = [
  {
    code: "it",
    failureOpening: words`errore`,
    denial: words`non|nessun[oa]?|impossibile|fallit[oa]`,
    fault: words`error[ei]`,
    negation: words`nessun[oa]?|non|senza`,
    announcing: words`sto per|vado a`,
    actLabel: words`comando|azione`,
    goOn: words`avanti`,
    farewell: words`
      (?:mille |molte )?grazie|prego|di nulla|arrivederci|ciao|a presto|alla prossima|cordiali saluti|piacere|
      (?:buona|buon) (?:giornata|serata|notte|lavoro|settimana)`,
    courtesy: words`mille|anche|a|lei|te|voi|e|di|per|il|la|tuo|suo|aiuto|tutto|molto|un|una|mio|stato|è|altrettanto`,
    writeVerb: words`creare|scrivere|salvare|eliminare|aggiornare|modifica`,
    tally: words`errori`,
    and: words`e|o`,
  },
  {
    code: "nl",
    failureOpening: words`fout`,
    denial: words`niet|geen|mislukt`,
    fault: words`fout(?:en)?`,
    negation: words`geen|zonder`,
    announcing: words`ik (?:ga|zal)`,
    actLabel: words`commando|actie`,
    goOn: words`ga (?:maar )?(?:door|verder)`,
  },
  {
    code: "pl",
    failureOpening: words`błąd`,
    denial: words`nie|brak`,
    fault: words`błęd\p{L}*`,
    negation: words`brak|nie|bez`,
    actLabel: words`komenda|akcja`,
    goOn: words`kontynuuj|dalej`,
  },
  {
    code: "ru",
    failureOpening: words`ошибка|сбой`,
    denial: words`не|нет|невозможно`,
    fault: words`ошиб\p{L}*`,
    negation: words`не|нет|без`,
    announcing: words`сейчас (?:я )?\p{L}{2,16}у|приступаю|давайте`,
    actLabel: words`команда|действие`,
    goOn: words`продолжай(?:те)?|дальше`,
    tally: words`ошиб\p{L}+`,
    and: words`и`,
  },
  {
    /** Swedish, Danish, Norwegian, Finnish, Turkish, Vietnamese, Indonesian, Hindi, Arabic. */
    code: "mul",
    failureOpening: words`fel|virhe|hata|lỗi|त्रुटि|خطأ`,
    announcing: words`jag (?:ska|kommer att)|jeg (?:vil|skal)|tôi sẽ|saya akan`,
    goOn: words`forts[aäeæ]tt?|jatka|devam(?: et)?|tiếp tục|lanjutkan|जारी रख(?:ो|ें)|استمر|تابع`,
  },
  {
    code: "ko",
    failureOpening: words`오류|실패`,
    denial: words`없[습음다어는]|않[습음았는]|못[했하함합]|불가|실패|시간 ?초과`,
    negatedFault: words`(?:오류|에러|문제|실패|경고)[가이는은도]? ?(?:없(?:습니다|음|다)|발견되지 않\p{L}*)`,
    announcing: words`겠습니다|할게요`,
    goOn: words`계속(?:해|하세요|해줘)?`,
    tally: words`실패`,
    and: words`및|그리고`,
    through: words`부터|에서`,
    all: words`모든|전체|총`,
    doing: words`
    (?:실행|반복|클릭|호출|확인|체크|전송|새로고침|시도|조회|테스트(?=하|해))(?!\p{L}{0,2}(?:했|됐|되었))|눌러|누르|보내|돌려`,
    numbers: words`두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|쉰|백`,
    times: words`번(?!째|호| ?(?:버튼|항목|줄|페이지|문제|파일|단계))|회(?![의사원])|차례`,
    endless: words`
    계속(?:해서)?|반복(?:해서|적으로)|여러 번|[수몇]십 ?번|\d{0,3} ?(?:초|분|시간)마다|매(?:초|분|시간)|
    \d{1,3} ?(?:초|분|시간) ?동안`,
    until: words`때까지`,
    failing: words`실패|오류|에러`,
  },
];
