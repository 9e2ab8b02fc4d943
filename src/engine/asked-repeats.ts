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

const ASKED = new RegExp(
  String.raw`\b(\d{1,4}|${Object.keys(NUMBERS).join("|")})\s*(?:more |identical |consecutive )?(?:times|x\b|runs|rounds|iterations|repetitions)|\btwice\b|(?<![第\d])(\d{1,4}|[两${HAN_NUMBERS}])\s*[回次遍]`,
  "i",
);

/** How many repetitions the user asked for; 0 if the user asked for none. */
export function askedRepeats(text: string): number {
  const found = ASKED.exec(text.slice(0, 4_000));
  if (found === null) return 0;
  const word = (found[1] ?? found[2] ?? "twice").toLowerCase();
  if (word === "两") return 2;
  return HAN_NUMBERS.includes(word) ? HAN_NUMBERS.indexOf(word) + 2 : (NUMBERS[word] ?? Number(word));
}
