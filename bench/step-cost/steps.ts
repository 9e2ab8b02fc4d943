import type { Step } from "../../src/step.ts";

/** A kind of step as agents take it, and how large its outcome is. */
export interface Sort {
  readonly name: string;
  /** The step number `i`; no two are equal. */
  readonly make: (i: number) => Step;
}

/** A step is made of words, as a text or as rows of JSON. `chars` of its outcome, about. */
export const sorts: readonly Sort[] = [
  { name: "text, 300 B", make: (i) => callStep(i, logText(i, 300)) },
  { name: "text, 1 KB", make: (i) => callStep(i, logText(i, 1_000)) },
  { name: "text, 2 KB", make: (i) => callStep(i, sourceText(i, 2_000)) },
  { name: "JSON, 2 KB", make: (i) => callStep(i, jsonText(i, 2_000)) },
  { name: "text, 20 KB", make: (i) => callStep(i, sourceText(i, 20_000)) },
  { name: "JSON, 20 KB", make: (i) => callStep(i, jsonText(i, 20_000)) },
  { name: "Japanese, 2 KB", make: (i) => callStep(i, japaneseText(i, 2_000)) },
  { name: "talk with a user", make: talkStep },
];

/** Small, answered, and each of its own: what the window of a healthy thread is full of. */
export function healthyStep(i: number): Step {
  return callStep(i, i % 3 === 0 ? jsonText(i, 800) : i % 3 === 1 ? sourceText(i, 1_500) : logText(i, 400));
}

/** As the parser of a body leaves it: texts of their own, in one piece. */
function parsed(step: Step): Step {
  const read: Step = JSON.parse(JSON.stringify(step));
  return read;
}

function callStep(i: number, text: string): Step {
  const [tool, args] = [
    ["read_file", { path: `src/${word(i)}/${word(i * 7 + 1)}.ts`, from: i * 40, to: i * 40 + 40 }],
    ["search", { query: `${word(i)} ${word(i + 3)} handling`, limit: 20 }],
    ["bash", { command: `grep -rn "${word(i * 3)}" src | head -${20 + i}` }],
    ["get_order_details", { order_id: `#W${4_000_000 + i * 977}` }],
  ][i % 4] as [string, object];
  return parsed({
    calls: [{ id: `call_${word(i)}${i}`, tool, args: JSON.stringify(args), outcome: { text } }],
    text: i % 2 === 0 ? "" : `The ${word(i)} looks fine, so I will check the ${word(i + 1)} next.`,
    heard: [],
  });
}

function talkStep(i: number): Step {
  return parsed({
    calls: [],
    text: `I have found ${3 + (i % 5)} ${word(i)} options for the ${word(i * 5)}. ${sentence(i)} Which one would you like?`,
    heard: [`I would rather take the ${word(i + 2)} one, and ${sentence(i + 9).toLowerCase()}`],
  });
}

const WORDS =
  "account address answer archive balance branch buffer button cache catalog channel circle client column commit config customer cycle default detail device driver editor engine entry export field filter folder format gateway handler header history import index invoice journal kernel ladder ledger library machine manager margin memory message method module network number object option order output package parser payment policy printer process product profile queue record region release report request result review router sample schema search section server session shadow signal socket source status stream string summary switch symbol system table target ticket timer token topic trace update vector version window writer".split(
    " ",
  );

function word(i: number): string {
  return WORDS[(Math.imul(i + 11, 0x9e3779b1) >>> 16) & 0xff] ?? `${WORDS[i % WORDS.length]}${i % 10}`;
}

function sentence(i: number): string {
  return `The ${word(i)} of each ${word(i + 1)} has to match the ${word(i + 2)}, or the ${word(i + 3)} is sent back.`;
}

function filled(chars: number, line: (n: number) => string): string {
  const lines: string[] = [];
  for (let length = 0, n = 0; length < chars; n++) {
    const next = line(n);
    lines.push(next);
    length += next.length + 1;
  }
  return lines.join("\n").slice(0, chars);
}

function logText(i: number, chars: number): string {
  return filled(
    chars,
    (n) =>
      `2025-03-${10 + (n % 18)}T10:${10 + (n % 50)}:${10 + (i % 50)}Z info ${word(i + n)}: ${sentence(i * 31 + n)} took ${n + i}ms`,
  );
}

function sourceText(i: number, chars: number): string {
  return filled(
    chars,
    (n) =>
      `${String(n + i).padStart(5)}  const ${word(i + n)} = ${word(n * 3 + i)}(${word(n)}, ${n * i}); // ${sentence(n + i)}`,
  );
}

function japaneseText(i: number, chars: number): string {
  return filled(chars, (n) => `${n + i}件目の${word(i + n)}を確認しました。設定ファイルの内容に問題はありません。`);
}

function jsonText(i: number, chars: number): string {
  const row = (n: number) => ({
    id: `${word(n)}_${i * 1_000 + n}`,
    name: `${word(i + n)} ${word(n * 3)}`,
    price: n * 1.25 + i,
    available: n % 3 === 0,
    tags: [word(n), word(n + i)],
    updated_at: `2025-05-${10 + (n % 18)}T08:00:00Z`,
    note: sentence(i + n),
  });
  const count = Math.max(1, Math.round(chars / JSON.stringify(row(10)).length));
  return JSON.stringify({ total: count, rows: Array.from({ length: count }, (_, n) => row(n)) });
}
