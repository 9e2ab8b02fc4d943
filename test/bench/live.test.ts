import { describe, expect, it } from "vitest";
import { compared } from "../../bench/live/compare.ts";
import { liveFormats } from "../../bench/live/formats.ts";
import { liveReport } from "../../bench/live/report.ts";
import { defaultPolicy } from "../support/builders/detection.ts";
import type { Conversation, LabelledMessage } from "../../bench/loopbench/conversations.ts";

const user = { role: "user", content: "Fetch the rates." };

const turn = (id: string, args: string, result: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "http.get", arguments: args } }],
  },
  { role: "tool", tool_call_id: id, content: result },
];

const down = (times: number) =>
  Array.from({ length: times }, (_, i) => turn(`call_${i}`, '{"path":"/rates"}', "404 Not Found")).flat();
const said = (text: string) => ({ role: "assistant", content: text });

const stuck = [user, ...down(3), said("I give up.")];
const chant = [user, said("Still checking. ".repeat(40))];
const ended = [user, ...Array.from({ length: 4 }, () => said("I am ready to start on the fix."))];

const ways = liveFormats.flatMap((format) => [false, true].map((streams) => ({ format, streams })));
const named = ways.map((way) => ({ ...way, name: `${way.format.name}${way.streams ? ", streamed" : ""}` }));

const caseOf = (id: string, messages: readonly LabelledMessage[], loops: boolean): Conversation => ({
  ...{ id, key: id, set: "mine", family: "-", kind: "-", language: "?", messages, tools: [] },
  ...{ loops, start: undefined, counts: true },
});

describe.each(named)("$name: a run that is asked for turn by turn", ({ format, streams }) => {
  it("is touched before its loop is complete, at the turn that replay names", async () => {
    const one = await compared(caseOf("stuck", stuck, true), { format, streams }, defaultPolicy());
    expect(one.live.touches[0]).toMatchObject({ rung: "nudge", detector: "repeated-call", replaced: true });
    expect(one.live.touches[0]?.turn).toBe(one.replayed[0]?.turn);
    expect(one.difference).toBeUndefined();
  });
});

describe("a difference between live and replay", () => {
  const differenceIn = async (id: string, messages: readonly LabelledMessage[], name: string, streams: boolean) => {
    const format = liveFormats.find((one) => one.name === name);
    if (format === undefined) throw new Error(`There is no format ${name}.`);
    return (await compared(caseOf(id, messages, true), { format, streams }, defaultPolicy())).difference;
  };

  it.each([
    { name: "an answer that is cut off", messages: chant, format: "responses", streams: true, cause: "cut" },
    { name: "the same answer in one piece", messages: chant, format: "responses", streams: false, cause: undefined },
    { name: "a run that ends early", messages: ended, format: "chat-completions", streams: false, cause: "unasked" },
    { name: "a turn that goes on", messages: ended, format: "messages", streams: false, cause: "prefill" },
  ])("has a cause: $name", async ({ name, messages, format, streams, cause }) => {
    expect(await differenceIn(name, messages, format, streams)).toBe(cause);
  });

  it("is counted by its cause", async () => {
    const of = caseOf("chant", chant, true);
    const all = [];
    for (const way of ways) all.push(await compared(of, way, defaultPolicy()));
    const report = liveReport(all);
    expect(report).toContain("- `cut` (3): ");
    expect(report).toMatch(/\| mine \| 0\/6 \(0/);
  });
});
