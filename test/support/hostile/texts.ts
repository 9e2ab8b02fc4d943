import { partsOf, type Pattern } from "../checks/patterns.ts";

/** What a hostile text repeats, by a name for reports. */
export interface HostileUnit {
  readonly name: string;
  readonly unit: string;
}

/** Runs of one character or mark, and what grows or nests as it is read. */
const RUNS = [
  ..." \t\n\r-_.,:;\"'`#*|/\\<>(){}[]aA1%&?!~=+",
  ..."\u00a0\u200b\u202e\ufeff\u3000é。、あ漢한ไขм\u0301\u0130\ufdfa\ufb03\u3300\u2167\ud83d\ude00",
  "\n\n \n",
  "[[",
  '{"',
  '{"a":',
  "[1,",
  '\\"',
  "\\u0000",
  "a,",
  "1. x\n",
  "- x\n",
  "a: b\n",
  "```\n",
  "<a>",
  "</a><",
  "1 2 ",
  "1-9 ",
  "2026-11-23T10:00:00Z ",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301 ",
  "deadbeef0123456789abcdef ",
  "http://a/b?c=d ",
  "/a/b/../c ",
  "50% 3 MB 12:30 ",
  "unloop-left-out-",
  "[unloop] ",
  "Action: a\nAction Input: b\n",
  "Observation: a\n",
];

const runs: readonly HostileUnit[] = [
  ...RUNS.map((unit) => ({ name: JSON.stringify(unit), unit })),
  { name: "a lone surrogate", unit: "\ud83d" },
];

/** All of these once. @param most texts for one pattern */
export function hostileUnits(patterns: readonly Pattern[], most: number): readonly HostileUnit[] {
  const all = [...runs, ...patterns.flatMap((pattern) => nearMatches(pattern, most))];
  return [...new Map(all.map((one) => [one.unit, one])).values()];
}

/**
 * Texts that a pattern of the source nearly matches: its words, signs and classes one by one and in pairs, each again and again.
 * @param most units for one pattern
 */
function nearMatches({ file, pattern }: Pattern, most: number): readonly HostileUnit[] {
  const parts = partsOf(pattern);
  const pairs = parts.flatMap((one) => parts.map((other) => one + other));
  return [...new Set([parts.join(""), ...parts, ...pairs])]
    .filter((unit) => unit !== "")
    .slice(0, most)
    .map((unit) => ({ name: `${JSON.stringify(unit.slice(0, 40))} of ${file}`, unit }));
}
