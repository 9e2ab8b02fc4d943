import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { play } from "../../src/cli/replay.ts";
import { parseRecorded } from "../../src/protocols/protocols.ts";
import { mergeHistory, type Intervention, type Ledger } from "../../src/session/session.ts";
import type { Conversation } from "../../src/step.ts";
import { defaultPolicy, judgeWith, ledgerAfter, stored } from "../support/builders/detection.ts";

const folder = new URL("../fixtures/traces/", import.meta.url);

const finding = z.object({ turn: z.number(), detector: z.string(), rung: z.string(), count: z.number() });
/** A trace is never edited to make a test pass: a change of behaviour is argued for, and a new trace added. */
const trace = z.object({ about: z.string(), expected: z.array(finding), messages: z.array(z.unknown()) });

const traces = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({
    name: file.replace(".json", ""),
    ...trace.parse(JSON.parse(readFileSync(new URL(file, folder), "utf8"))),
  }));

const told = ({ at, detector, rung, count }: Intervention) => ({ turn: at, detector, rung, count });
const replayed = (id: string, messages: unknown) =>
  play(id, { messages }, defaultPolicy())?.replayed.findings.map((found) => finding.parse(found));

describe.each(traces)("$name: $about", ({ name, messages, expected }) => {
  it("is told as expected", () => expect(replayed(name, messages)).toEqual(expected));

  it("is told alike request by request, the ledger stored in between", () => {
    const conversation = conversationOf(messages);
    const whole = ledgerAfter(conversation).interventions.map(told);
    expect(requestByRequest(conversation).map(told)).toEqual(whole);
  });

  it(name.startsWith("ok-") ? "is left alone" : "is found", () =>
    expect(expected.length > 0).toBe(!name.startsWith("ok-")),
  );
});

it("holds as many healthy conversations as loops, or nearly", () => {
  const healthy = traces.filter(({ name }) => name.startsWith("ok-")).length;
  expect(Math.min(healthy, traces.length - healthy)).toBeGreaterThanOrEqual(12);
});

function conversationOf(messages: readonly unknown[]): Conversation {
  const ask = parseRecorded(messages);
  if (ask === undefined) throw new Error("not a conversation");
  return ask.conversation;
}

/** What each request leads to, in the order of the requests. */
function requestByRequest(conversation: Conversation): readonly Intervention[] {
  const evaluation = judgeWith();
  let ledger: Ledger | undefined;
  return conversation.steps.flatMap((_, i) => {
    const { now, save } = mergeHistory(
      ledger,
      { ...conversation, steps: conversation.steps.slice(0, i + 1) },
      evaluation,
    );
    if (save !== undefined) ledger = stored(save);
    return now === undefined ? [] : [now.intervention];
  });
}
