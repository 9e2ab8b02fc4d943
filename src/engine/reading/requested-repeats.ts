const NUMBERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "two three four five six seven eight nine ten eleven twelve".split(" ").map((word, i) => [word, i + 2]),
  ),
  twice: 2,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  fifty: 50,
  hundred: 100,
};

const HAN_NUMBERS = "二三四五六七八九十";

/** A number beside none of these, or in another clause, tells something and asks for nothing: "I told you a hundred times", "the 7 runs". */
const DO =
  "repeat|toggle|switch|turn|blink|flash|measure|sample|call|run|ping|do|try|click|press|tap|send|execute|check|test|perform|invoke|poll|retry|loop|roll|make|request|read|ask|play|flip|toss|spin|throw|refresh|reload|scroll|wait|get|open|query|search|say|write|print";

const ASKED = new RegExp(
  String.raw`(?<!\b(?:you|i|we|they|he|she|it|to) )\b(?:${DO})\b(?:[^.!?,;()\n]|\([^()\n]{0,40}\)){0,60}?\b(?:(\d{1,4}|${Object.keys(NUMBERS).join("|")})\s*(?:more |identical |consecutive )?(?:times|(?:consecutive )?runs(?=[.!?\n]|$)|rounds|iterations|repetitions)|twice\b)|(?<![第\d])(\d{1,2}|[两${HAN_NUMBERS}])\s*[回次遍]`,
  "i",
);

/** What is to be done may be quoted as code, in which points and brackets end no sentence. */
const CODE = /`[^`\n]{1,200}`/g;

/** More is no wish that a run should be left alone for. */
const MOST = 12;

/** Number of repetitions that the user asked for; 0 if there were none. */
export function requestedRepeats(text: string): number {
  const match = ASKED.exec(text.slice(0, 4_000).replace(CODE, " it "));
  if (match === null) return 0;
  const word = (match[1] ?? match[2] ?? "twice").toLowerCase();
  if (word === "两") return 2;
  const repeats = HAN_NUMBERS.includes(word) ? HAN_NUMBERS.indexOf(word) + 2 : (NUMBERS[word] ?? Number(word));
  return Math.min(MOST, repeats);
}
