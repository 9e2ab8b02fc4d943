import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Labelled } from "../../bench/detection/data.ts";
import { writeInto } from "../../bench/detection/document.ts";
import { shareOf } from "../../bench/detection/interval.ts";
import { type Flag, references } from "../../bench/detection/rules.ts";
import { scoreOf } from "../../bench/detection/score.ts";
import { verdictOf } from "../../bench/detection/verdict.ts";

const USER = { role: "user", content: "Find it." };

/** One call and what came back. */
const turn = (args: string, result: string, tool = "search") => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: tool, arguments: args } }],
  },
  { role: "tool", tool_call_id: "1", content: result },
];

const repeated = (times: number) => Array.from({ length: times }, () => turn("{}", "the same page")).flat();

const labelled = (fields: Partial<Labelled>): Labelled => ({
  id: "one",
  family: "here",
  kind: "repeat-call",
  messages: [USER],
  loops: false,
  start: undefined,
  counts: true,
  ...fields,
});

const flagging = (...turns: number[]) => ({
  name: "a rule",
  flags: (): Flag[] => turns.map((at) => ({ turn: at, rung: "nudge", by: "a part" })),
});

async function freshPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "accuracy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "page.md");
}

describe("a verdict", () => {
  const loop = labelled({ loops: true, start: 5 });

  it.each([
    { name: "at the label's turn is right", turns: [5], found: 1, early: 0, delay: 0 },
    { name: "one turn before it is right", turns: [4], found: 1, early: 0, delay: -1 },
    { name: "two turns before it is early, and no find", turns: [3], found: 0, early: 1, delay: undefined },
    { name: "late is still right", turns: [9, 11], found: 1, early: 0, delay: 4 },
    { name: "can be early and right", turns: [0, 6], found: 1, early: 1, delay: 1 },
    { name: "of silence is a miss", turns: [], found: 0, early: 0, delay: undefined },
  ])("$name", ({ turns, found, early, delay }) => {
    const score = scoreOf([verdictOf(flagging(...turns), loop)]);
    expect([score.found.part, score.early.part, score.delay?.median]).toEqual([found, early, delay]);
  });

  it("on a healthy run is counted once, by the hardest thing that was done", () => {
    const rule = {
      name: "a rule",
      flags: (): Flag[] => [
        { turn: 2, rung: "nudge", by: "a part" },
        { turn: 4, rung: "force-done", by: "a part" },
      ],
    };
    const score = scoreOf([verdictOf(rule, labelled({})), verdictOf(flagging(), labelled({}))]);
    expect(score.healthyBy).toEqual({ nudge: 0, "force-done": 1, "short-circuit": 0 });
    expect([score.flagged.part, score.healthy]).toEqual([1, 2]);
  });
});

describe("rates", () => {
  it.each([
    { part: 4, whole: 1009, low: 0.0015, high: 0.0101 },
    { part: 54, whole: 57, low: 0.8563, high: 0.9819 },
    { part: 0, whole: 0, low: 0, high: 1 },
  ])("$part of $whole lies between $low and $high", ({ part, whole, low, high }) => {
    const share = shareOf(part, whole);
    expect([share.low, share.high].map((bound) => Number(bound.toFixed(4)))).toEqual([low, high]);
  });
});

describe("plain rules", () => {
  const changing = [1, 2, 3].flatMap((n) => turn("{}", `page ${n}`));
  const pair = [...turn("{}", "page"), ...turn('{"q":1}', "other page")];
  const spoken = [...repeated(2), { role: "user", content: "Once more." }, ...repeated(2)];

  it.each([
    { rule: "same call x3", messages: changing, at: 2 },
    { rule: "same call and result x3", messages: repeated(3), at: 2 },
    { rule: "1-5 calls round and round x5", messages: [...pair, ...pair, ...pair, ...pair, ...pair], at: 9 },
    { rule: "same result x4, error x3, text x3", messages: repeated(4), at: 3 },
    { rule: "same result x4, error x3, text x3", messages: spoken, at: undefined },
    { rule: "same result x4, error x3, text x3", messages: [1, 2, 3].flatMap((n) => turn("{}", `Error: ${n}`)), at: 2 },
    { rule: "step cap 50", messages: repeated(51), at: 50 },
  ])("$rule stops at turn $at", ({ rule, messages, at }) => {
    const flags = references.find(({ name }) => name === rule)?.flags(labelled({ messages: [USER, ...messages] }));
    expect(flags).toEqual(at === undefined ? [] : [{ turn: at, rung: "short-circuit", by: rule }]);
  });
});

describe("writing the tables down", () => {
  it("replaces what stands between the marks, and nothing else", async () => {
    const file = await freshPage();
    const [begin, end] = ["<!-- measured: npm run bench -- detection --write -->", "<!-- end of what was measured -->"];
    await writeFile(file, `before\n${begin}\nold\n${end}\nafter\n`);
    await writeInto(file, "new");
    await writeInto(file, "newer");
    expect(await readFile(file, "utf8")).toBe(`before\n${begin}\n\nnewer\n\n${end}\nafter\n`);
  });
});
