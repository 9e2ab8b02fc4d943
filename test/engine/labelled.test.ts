import type { Json } from "../../src/text/is-object.ts";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { play } from "../../src/cli/replay.ts";
import { parseRecorded } from "../../src/protocols/protocols.ts";
import { type Intervention, type Ledger, mergeHistory } from "../../src/session/session.ts";
import type { Conversation } from "../../src/step.ts";
import { defaultPolicy, judgeWith, ledgerAfter, stored } from "../support/builders/detection.ts";

const messages = z.array(z.unknown());
const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const rowsIn = <Row>(path: string, row: z.ZodType<Row>): readonly Row[] =>
  readFileSync(at(path), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => row.parse(JSON.parse(line)));
const played = (id: string, told: unknown) => play(id, { messages: told }, defaultPolicy());

const labelled = z.object({
  id: z.string(),
  kind: z.string(),
  expect: z.enum(["loop", "ok"]),
  strength: z.enum(["hard", "soft"]),
  note: z.string(),
  /** The hardest rung that can be argued for. */
  worst: z.enum(["nudge"]).optional(),
  messages,
});
type Case = z.infer<typeof labelled>;

// Chants are not for detectors of steps.
const cases = ["cases", "threads"]
  .flatMap((file) => rowsIn(`bench/loopbench/data/${file}.jsonl`, labelled))
  .filter(({ kind }) => kind !== "chant");
const found = ({ id, messages }: Case) => played(id, messages)?.replayed.findings;

const hard = (label: "loop" | "ok") => (one: Case) => one.expect === label && one.strength === "hard";
type Found = NonNullable<ReturnType<typeof found>>;

describe.each<readonly [does: string, which: (one: Case) => boolean, isRight: (findings: Found) => boolean]>([
  ["finds every hard loop", hard("loop"), (all) => all.length > 0],
  ["leaves every hard healthy conversation alone", hard("ok"), (all) => all.length === 0],
  [
    "ends no debatable one",
    (one) => one.expect === "ok" && one.strength === "soft",
    (all) => !all.some(({ rung }) => rung === "short-circuit"),
  ],
  [
    "does no more than a nudge where somebody honestly waits",
    ({ worst }) => worst === "nudge",
    (all) => all.every(({ rung }) => rung === "nudge"),
  ],
])("%s", (_, which, isRight) => {
  it.each(cases.filter(which))("$id: $note", (one) => expect(found(one)).toSatisfy(isRight));
});

const conversation = z.object({
  id: z.string(),
  /** What has to be found first; `turn`: index, among the assistant's messages, of the one that completes the loop. */
  finding: z.object({ detector: z.string(), grade: z.string().optional(), turn: z.number() }).optional(),
  messages,
});
const conversationsIn = (file: string) => rowsIn(`test/fixtures/conversations/${file}.jsonl`, conversation);
const interventionsIn = ({ id, messages }: z.infer<typeof conversation>) => played(id, messages)?.interventions;

it.each(conversationsIn("loops"))(
  "an agent that goes in circles is found by its detector, with its grade, at its turn: $id",
  (loop) => {
    const first = interventionsIn(loop)?.at(0);
    expect(first && { detector: first.detector, grade: first.grade, turn: first.at }).toEqual(loop.finding);
  },
);

it.each(conversationsIn("healthy"))("an agent that is right to repeat itself is left alone: $id", (healthy) =>
  expect(interventionsIn(healthy)).toEqual([]),
);

it.each(conversationsIn("debatable"))(
  "where nothing tells an agent from one in circles, a word is said at most: $id",
  (debatable) => expect(interventionsIn(debatable)?.filter(({ rung }) => rung !== "nudge")).toEqual([]),
);

const finding = z.object({ turn: z.number(), detector: z.string(), rung: z.string(), count: z.number() });
/** A trace is never edited to make a test pass: a change of behaviour is argued for, and a new trace added. */
const trace = z.object({ about: z.string(), expected: z.array(finding), messages });
const traces = readdirSync(at("test/fixtures/traces/"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({
    name: file.replace(".json", ""),
    ...trace.parse(JSON.parse(readFileSync(at(`test/fixtures/traces/${file}`), "utf8"))),
  }));

describe.each(traces)("the trace $name: $about", ({ name, messages, expected }) => {
  it(name.startsWith("ok-") ? "is left alone" : "is told as expected", () => {
    const findings = played(name, messages)?.replayed.findings.map((one) => finding.parse(one));
    expect(findings).toEqual(name.startsWith("ok-") ? [] : expected);
  });

  it("is told alike request by request, the ledger stored in between", () => {
    const { conversation } = parseRecorded(messages as readonly Json[]) ?? expect.fail("not a conversation");
    expect(requestByRequest(conversation)).toEqual(ledgerAfter(conversation).interventions);
  });
});

/** What each request leads to, in the order of the requests. */
function requestByRequest(conversation: Conversation): readonly Intervention[] {
  const evaluation = judgeWith();
  let ledger: Ledger | undefined;
  return conversation.steps.flatMap((_, i) => {
    const carried = { ...conversation, steps: conversation.steps.slice(0, i + 1) };
    const { now, save } = mergeHistory(ledger, carried, evaluation);
    if (save !== undefined) ledger = stored(save);
    return now === undefined ? [] : [now.intervention];
  });
}
