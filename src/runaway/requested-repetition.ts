const SAYING = "write|say|repeat|print|output|type|copy|recite|chant|echo|spell|sing|writing|saying|repeating|chanting";
/** Up to where the request may go on: within its sentence, and not into a program that is to do the repeating. */
const ON = String.raw`(?:(?!\b(?:that|which|who|scripts?|function|program|code|tests?|retr\w+|loops?|each)\b)[^.!?\n]){0,80}?`;
const MANY = String.raw`(?:\d{2,6}|[6-9]|(?:a |one |two |five )?(?:dozen|hundred|thousand|million)|ten|twenty|thirty|fifty|many|countless|infinite)`;
const ENDLESSLY =
  "(?:forever|endlessly|infinitely|indefinitely|non-?stop|over and over|again and again|without (?:end|stopping|pause)|as (?:often|many times|long) as)";
const THING = "words?|phrase|letters?|sentence|line|string|character|token|symbol|emoji|syllable|name|number";

const ENGLISH = new RegExp(
  [
    String.raw`\b(?:${SAYING})\b${ON}\b${MANY}\s*(?:x\b|times|copies|repetitions)`,
    String.raw`\b(?:${SAYING})\b${ON}\b${ENDLESSLY}`,
    String.raw`\b(?:repeat|keep (?:saying|writing|repeating|printing|typing)|just repeat)\s+(?:only |just )?(?:(?:the|this|that|one) (?:\w+ )?(?:${THING})\b|after me|["'“‘])`,
    String.raw`\b${MANY}\s+(?:identical|equal|repeated|copies of|repetitions of)\b`,
  ].join("|"),
  "i",
);

const DIGITS = "[0-9０-９一二三四五六七八九十百千万]";
/** A number from its first digit on, and no ordinal. */
const COUNT = `(?<!第|${DIGITS})${DIGITS}+`;
const JAPANESE = new RegExp(
  [
    String.raw`${COUNT}\s*(?:回|遍|度|個)[^。\n]{0,12}(?:書[いけき]|言[っいえ]|出力|表示|繰り返|くり返|並べ|唱え|コピー)`,
    String.raw`(?:永遠に|ずっと|延々と?|無限に|ひたすら)[^。\n]{0,20}(?:書[いけき]|言[っいえ]|出力|表示|繰り返|くり返|唱え)`,
    String.raw`[」』"]\s*(?:という\S{0,6})?(?:を|と)\s*(?:繰り返し|くり返し)`,
  ].join("|"),
);
const CHINESE = new RegExp(
  [
    String.raw`(?:写|寫|说|說|输出|輸出|打印|念|喊|抄|重复|重複)[^。\n]{0,24}?${COUNT}\s*(?:遍|次|个|個)`,
    String.raw`${COUNT}\s*(?:遍|次)[^。\n]{0,6}(?:写|寫|说|說|输出|輸出|打印|念|抄|重复|重複)`,
    String.raw`(?:不停地?|不断地?|不斷地?|一直|无限|無限|永远|永遠|反复|反覆)\s*(?:地)?(?:写|寫|说|說|输出|輸出|打印|念|喊|重复|重複)`,
    String.raw`(?:重复|重複)[^。\n]{0,4}["“「『]`,
  ].join("|"),
);

const DECLINED =
  /(?:\b(?:do not|don['’]?t|never|avoid|stop|without|not to|no need to|not)\s+(?:just |simply |ever )?$)|(?:不要|别|別|请勿|勿|避免|不)\s*(?:一直|不停地?|反复|反覆)?$/i;
/** Longer texts are instructions or material: what the user wants stands first. */
const SPAN = 4_000;

/** What is to be repeated may end in a full stop, or say anything at all. */
const QUOTED = /(?<=^|\s)(["“'‘])[^"”\n]{1,200}?(["”'’])(?=[\s.,!?]|$)/g;

/** A user asks for a text that repeats itself: the same word, line or phrase many times or without end. */
export function asksForRepetition(text: string): boolean {
  const beginning = text.slice(0, SPAN).replace(QUOTED, "$1$2");
  return [ENGLISH, JAPANESE, CHINESE].some((wish) => {
    const match = wish.exec(beginning);
    return match !== null && !DECLINED.test(beginning.slice(Math.max(0, match.index - 24), match.index));
  });
}
