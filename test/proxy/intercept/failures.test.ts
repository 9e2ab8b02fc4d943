import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fallbackProtocol as chatCompletions } from "../../../src/protocols/protocols.ts";
import { eventStream, inPieces } from "../../support/builders/in-process.ts";
import { armed, interceptRig, type Said, sayingSo, sending, sent, told } from "./rig.ts";

const streams = { stream: true, stream_options: { include_usage: true } };
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c2", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const role = chunk({ role: "assistant", content: "" });
const call = chunk({
  tool_calls: [{ index: 0, id: "x", type: "function", function: { name: "done", arguments: "{" } }],
});
const broken = new Error("the connection broke");

const json = (status: number, body: object) => Response.json(body, { status, headers: { "x-request-id": "req-1" } });
const error = { error: { message: "No.", type: "scripted" } };
const stream = (pieces: readonly string[], reason?: Error) => () =>
  Promise.resolve(new Response(inPieces(pieces, reason), { headers: { ...eventStream, "x-request-id": "req-1" } }));

const completion = {
  id: "c2",
  choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
};

/** What may come instead of a second answer, of which nothing is seen. */
const failures: readonly { name: string; second: () => Said }[] = [
  { name: "an internal error", second: () => json(500, error) },
  { name: "no connection", second: () => new Error("refused") },
  { name: "an error in place of a completion", second: () => json(200, error) },
  { name: "a stream that breaks off at once", second: () => stream([], broken) },
  { name: "a stream that breaks off in a call", second: () => stream([role, call], broken) },
  { name: "a stream of an error", second: () => stream([role, `data: ${JSON.stringify(error)}\n\n`]) },
];

/** The other sort of answer than was asked for. */
const otherSort = {
  JSON: {
    name: "a stream of a whole answer",
    second: () => stream([role, chunk({ content: "Done." }, "stop"), "data: [DONE]\n\n"]),
  },
  stream: { name: "a whole answer in JSON", second: () => json(200, completion) },
};

describe.each([
  { kind: "JSON", extra: {}, firstly: sending, rows: [...failures, otherSort.JSON] },
  { kind: "a stream of words and calls", extra: streams, firstly: sayingSo, rows: [...failures, otherSort.stream] },
])("a looping answer, $kind, is delivered as it is when asking again brings", ({ extra, firstly, rows }) => {
  it.each(rows)("$name", async ({ second }) => {
    const session = randomUUID();
    const rig = interceptRig([firstly, second(), firstly, second()]);
    const { status, headers, text } = await rig.ask(armed, extra, { session });
    expect(rig.asked).toHaveLength(2);
    expect(status).toBe(200);
    expect(text).toBe(rig.answers[0]);
    expect(headers.get("x-request-id")).toBe("req-0");
    expect(headers.get("x-unloop-verdict")).toBe("ok");
    expect(rig.logged.filter(({ event }) => event === "exchange")).toMatchObject([{ verdict: "ok", status: 200 }]);
    expect(await rig.journal()).toEqual([]);
    // An operator must be able to see that asking again is of no use.
    expect(rig.logged.filter(({ level }) => level === "warn").map(({ event }) => event)).toEqual(["intercept-failed"]);
    // Nothing was done, so nothing is remembered: sent again it is told again.
    await rig.ask(armed, extra, { session });
    expect(rig.asked.map(({ body }) => body.includes("[unloop]"))).toEqual([false, true, false, true]);
  });
});

describe("a second answer that breaks off after words were seen of it", () => {
  it.each([
    { name: "behind words of the first", firstly: sayingSo },
    { name: "in place of the first", firstly: sending },
  ])("$name, is followed by the first one's calls under one id", async ({ firstly }) => {
    const rig = interceptRig([firstly, stream([role, chunk({ content: "On second thought" }), call], broken)]);
    const { text } = await rig.ask(armed, streams);
    expect(told(text)).toMatchObject({ roles: 1, finishes: ["tool_calls"], dones: 1, calls: 1, errors: [] });
    expect(told(text).ids).toHaveLength(1);
    expect(told(text).content).toContain("On second thought");
    expect(told(text).usages).toHaveLength(1);
    expect(await rig.journal()).toEqual([]);
  });
});

describe("a looping answer is delivered as it is when the guard itself fails", () => {
  const thrice = [...armed, ...sent("call_1"), ...sent("call_2")];
  const ways = [
    { kind: "JSON", extra: {}, firstly: sending, joins: "addUsage" as const },
    { kind: "a stream of words and calls", extra: streams, firstly: sayingSo, joins: "resume" as const },
  ];
  const rows = ways.flatMap(({ joins, ...way }) => [
    { ...way, part: "rewrite" as const, history: armed },
    { ...way, part: joins, history: armed },
    { ...way, part: "reply" as const, history: thrice },
  ]);

  it.each(rows)(
    "a looping answer is delivered although the protocol's $part fails, on $kind",
    async ({ part, history, extra, firstly }) => {
      const spy = vi.spyOn(chatCompletions, part).mockImplementation(() => {
        throw new Error("a mistake of ours");
      });
      onTestFinished(() => spy.mockRestore());
      const rig = interceptRig([firstly, { kind: "text", text: "They know." }]);
      const { text, status, headers } = await rig.ask(history, extra);
      expect([status, text, headers.get("x-request-id")]).toEqual([200, rig.answers[0], "req-0"]);
      const failures = rig.logged.filter(({ level }) => level !== "debug" && level !== "info");
      expect(failures.map(({ event }) => event)).toEqual(["intercept-failed"]);
    },
  );
});
