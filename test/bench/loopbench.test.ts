import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askAll, type Judged, type LoopFlag } from "../../bench/loopbench/ask-all.ts";
import { type Conversation, prefixesOf, readSet } from "../../bench/loopbench/conversations.ts";
import { openDetector } from "../../bench/loopbench/open-detector.ts";
import { failuresOf } from "../../bench/loopbench/report.ts";
import { scoreOfJudged } from "../../bench/loopbench/score.ts";
import { called } from "../support/builders/chat-history.ts";
import { newFolder, serverOf } from "../support/servers/of-test.ts";
import { writeUp } from "../../bench/report/write-up.ts";

const user = { role: "user", content: "Find it." };

const turn = (query: string, result: string) => called(query, "search", { query }, result);
const again = (times: number) => Array.from({ length: times }, () => turn("key", "no such place")).flat();
const walk = ["attic", "barn", "cellar", "den"].flatMap((room) => turn(room, `the ${room} is empty`));

const rows = [
  { id: "stuck", kind: "repeat", expect: "loop", strength: "hard", first_loop_turn: 2, messages: [user, ...again(4)] },
  { id: "walk", kind: "healthy", expect: "ok", strength: "hard", lang: "en", messages: [user, ...walk] },
];

async function setOf(...lines: readonly (object | string)[]): Promise<string> {
  const file = join(newFolder(), "mine.jsonl");
  await writeFile(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return file;
}

const conversations = async () => readSet(await setOf(...rows));

describe("a set of conversations", () => {
  it.each([
    { line: "{", told: "mine.jsonl:2 is not JSON" },
    { line: { ...rows[0], expect: "maybe" }, told: "mine.jsonl:2 is no labelled conversation" },
    { line: { ...rows[0], messages: [user] }, told: "no turn of an assistant" },
  ])("says where it breaks the format: $told", async ({ line, told }) => {
    const file = await setOf(rows[1] ?? "", line);
    await expect(readSet(file)).rejects.toThrow(told);
  });

  it("is shown turn by turn, each with what came back for it and nothing that came later", () => {
    const said = { role: "assistant", content: "Hm." };
    const messages = [user, ...turn("key", "none"), said, said];
    const shown = [...prefixesOf({ messages })].map((prefix) => [prefix.turn, prefix.messages.length]);
    expect(shown).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });
});

const COUNTING = `
  const calls = messages.flatMap((one) => one.tool_calls ?? []).map((call) => JSON.stringify(call.function));
  const same = calls.filter((call) => call === calls.at(-1)).length;
  const verdict = same >= 4 ? "end" : same >= 3 ? "nudge" : "none";
`;
const expected = [
  {
    id: "stuck",
    flags: [
      [2, "nudge"],
      [3, "end"],
    ],
  },
  { id: "walk", flags: [] },
];

const limits = { timeoutMs: 5_000, maxBytes: 2_000 };

async function judgedBy(address: string, bounds = limits, sets = conversations()): Promise<readonly Judged[]> {
  return askAll(await sets, () => openDetector(address, bounds), 1);
}

const told = (judged: readonly Judged[]) =>
  judged
    .map(({ of, flags }) => ({ id: of.id, flags: flags.map(({ turn, verdict }) => [turn, verdict]) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(newFolder(), name);
  await writeFile(file, text);
  return file;
}

async function programOf(body: string): Promise<string> {
  const text = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, turn, messages } = JSON.parse(line);
    ${body}
  });`;
  return `${process.execPath} ${await fileOf("program.cjs", text)}`;
}

describe("a detector may be", () => {
  it("a module, whose own output does no harm", async () => {
    const file = await fileOf(
      "mine.mjs",
      `export const detect = async ({ messages }) => { ${COUNTING} console.log("hm"); return verdict; };`,
    );
    expect(told(await judgedBy(file))).toEqual(expected);
  });

  it("a program on standard input and output", async () => {
    const command = await programOf(`${COUNTING} console.log(JSON.stringify({ verdict, reason: "counted" }));`);
    const judged = await judgedBy(command);
    expect(told(judged)).toEqual(expected);
    expect(judged.flatMap(({ flags }) => flags)[0]?.reason).toBe("counted");
  });

  it("a service", async () => {
    const url = await serverOf(async (request, response) => {
      const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      response.end(JSON.stringify({ verdict: new Function("messages", `${COUNTING} return verdict;`)(messages) }));
    });
    expect(told(await judgedBy(`${url}/judge`))).toEqual(expected);
  });
});

const stuckAt = (turn: number) =>
  `if (messages.length > 8 && turn === ${turn} && messages[2].content === "no such place")`;
const otherwise = `else console.log(JSON.stringify({ verdict: turn === 2 ? "nudge" : "none" }));`;
const failing = (what: string) => programOf(`${stuckAt(3)} ${what} ${otherwise}`);

it.each([
  {
    name: "by a crash",
    what: `{ console.error("out of ideas"); process.exit(3); }`,
    kind: "crashed",
    message: "code 3: out of ideas",
  },
  { name: "by nonsense", what: `console.log("perhaps");`, kind: "nonsense", message: '"perhaps" is not' },
  { name: "by too long an answer", what: `console.log("x".repeat(3000));`, kind: "too long", message: "2000 bytes" },
])(
  "a detector that fails: $name keeps what it had said, and is asked about the rest",
  async ({ what, kind, message }) => {
    const judged = await judgedBy(await failing(what));
    expect(told(judged)).toEqual([
      { id: "stuck", flags: [[2, "nudge"]] },
      { id: "walk", flags: [[2, "nudge"]] },
    ]);
    expect(judged.flatMap(({ failure }) => failure ?? [])).toMatchObject([{ kind, turn: 3 }]);
    expect(failuresOf({ name: "it", judged })).toContain(message);
  },
);

describe("a score", () => {
  const of = (fields: Partial<Conversation>): Conversation => ({
    ...{ id: "one", key: "0", set: "mine", family: "-", kind: "cycle", language: "en", tools: [], messages: [] },
    ...{ loops: true, counts: true, start: 4, ...fields },
  });
  const said = (...flags: readonly [number, LoopFlag["verdict"]][]) =>
    flags.map(([turn, verdict]) => ({ turn, verdict }));
  const failure = { kind: "late" as const, message: "", turn: 0 };

  it.each([
    { name: "a flag one turn before the label's is right", flags: said([3, "nudge"]), found: 1, early: 0, delay: -1 },
    { name: "two turns before it is early, and harm", flags: said([2, "force"]), found: 0, early: 1, harm: "force" },
  ])("of a loop: $name", ({ flags, found, early, delay, harm }) => {
    const score = scoreOfJudged([{ of: of({}), flags }]);
    expect([score.found.part, score.early.part, score.delay?.median]).toEqual([found, early, delay]);
    expect(score.harm).toEqual({ nudge: 0, force: 0, end: 0, ...(harm && { [harm]: 1 }) });
  });

  it("of a healthy run counts no doubted label, and no answer that did not come", () => {
    const healthy = of({ loops: false, start: undefined });
    const score = scoreOfJudged([
      { of: healthy, flags: said([1, "nudge"], [2, "end"]) },
      { of: healthy, flags: [] },
      { of: healthy, flags: [], failure },
      { of: { ...healthy, counts: false }, flags: said([1, "end"]) },
    ]);
    expect([score.flagged.part, score.flagged.whole, score.failed.part]).toEqual([1, 2, 1]);
    expect(score.harm).toEqual({ nudge: 0, force: 0, end: 1 });
  });
});

it("what is written up replaces what stands between its marks, and nothing else", async () => {
  const file = await fileOf("page.md", "");
  const [begin, end] = ["<!-- measured: npm run bench -- live --write -->", "<!-- end of what was measured -->"];
  await writeFile(file, `before\n${begin}\nold\n${end}\nafter\n`);
  for (const text of ["new", "newer"]) writeUp(file, "live", text);
  expect(await readFile(file, "utf8")).toBe(`before\n${begin}\n\nnewer\n\n${end}\nafter\n`);
});
