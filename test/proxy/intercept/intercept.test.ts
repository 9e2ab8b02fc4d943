import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Policy } from "../../../src/index.ts";
import { fallbackProtocol as chatCompletions } from "../../../src/protocols/protocols.ts";
import { repeated } from "../../support/builders/chat-history.ts";
import { storesVia } from "../../support/builders/stores.ts";
import { standard } from "../guard-rig.ts";
import { armed, healthy, interceptRig, resting, sayingSo, sending, sendTool, sent } from "./rig.ts";

/* What the contract of the formats does not tell of answers that are kept back: what policies say, what is remembered, what fails. */

const streams = { stream: true, stream_options: { include_usage: true } };

/** The message has gone out so often: once it is one step from the nudge, twice from force-done, three times from the end. */
const thread = (times: number) => [...healthy, ...repeated(times, (i) => sent(`call_${i}`))];

const rig = (says: Parameters<typeof interceptRig>[0], more: Partial<Policy>) =>
  interceptRig(says, { policy: { ...standard(), ...more } });

const chunksOf = (stream: string) => [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json));

describe.each([
  { kind: "JSON", extra: {}, again: sending, joins: "addUsage" as const },
  { kind: "a stream of words and calls", extra: streams, again: sayingSo, joins: "resume" as const },
])("an answer that would complete a loop, $kind,", ({ extra, again, joins }) => {
  it.each([
    { part: "rewrite" as const, history: armed },
    { part: joins, history: armed },
    { part: "reply" as const, history: thread(3) },
  ])("is delivered although the protocol's $part fails", async ({ part, history }) => {
    const spy = vi.spyOn(chatCompletions, part).mockImplementation(() => {
      throw new Error("a mistake of ours");
    });
    onTestFinished(() => spy.mockRestore());
    const { ask, answers, logged } = interceptRig([again, { kind: "text", text: "They know." }]);
    const { text, status, headers } = await ask(history, extra);
    expect([status, text, headers.get("x-request-id")]).toEqual([200, answers[0], "req-0"]);
    const failures = logged.filter(({ level }) => level !== "debug" && level !== "info");
    expect(failures.map(({ event }) => event)).toEqual(["intercept-failed"]);
  });
});

describe("a run that is to end with an error", () => {
  const ending = { finalResponse: "error" as const };

  it.each([
    { kind: "JSON", extra: {}, when: "at once", history: thread(3), says: 1 },
    { kind: "a stream of calls", extra: streams, when: "later", history: thread(2), says: 2 },
  ])("is refused as long as nothing of $kind was seen, $when", async ({ extra, history, says }) => {
    const { status, headers, text } = await rig(Array(says).fill(sending), ending).ask(history, extra);
    expect([status, headers.get("x-should-retry")]).toEqual([400, "false"]);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "loop_detected" } });
  });

  it("is told of it within the stream where words were seen", async () => {
    const { status, text } = await rig([sayingSo, sayingSo], ending).ask(thread(2), streams);
    const chunks = chunksOf(text);
    expect([status, chunks.at(-1)]).toMatchObject([200, { error: { code: "loop_detected" } }]);
    expect(JSON.stringify(chunks)).not.toMatch(/"tool_calls"|"finish_reason":"/);
  });
});

it("a request that has no place for a note is not asked again in the same words", async () => {
  const session = randomUUID();
  const { ask, asked, answers } = rig([resting, sending], {});
  await ask([...armed, { role: "assistant", content: "It is sent." }], {}, session);
  // What was done is left out of the history, as some clients do: there is no result to append a note to.
  expect((await ask(healthy, {}, session)).text).toBe(answers[1]);
  expect(asked).toHaveLength(2);
});

it("a second answer that is too long to keep is delivered in place of the first one", async () => {
  // Not one letter over and over: that would be cut off.
  const args = JSON.stringify({ text: randomBytes(560_000).toString("hex") });
  const call = { index: 0, id: "call_1", type: "function", function: { name: "send_message", arguments: args } };
  const choices = [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: "tool_calls" }];
  const stream = `data: ${JSON.stringify({ id: "c1", choices })}\n\ndata: [DONE]\n\n`;
  const long = new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const { ask, asked, journal } = interceptRig([sending, long]);
  const { text } = await ask(armed, streams);
  expect(asked).toHaveLength(2);
  const told = chunksOf(text).flatMap((chunk) => chunk.choices);
  expect(told.filter(({ delta }) => delta.role !== undefined)).toHaveLength(1);
  expect(told.flatMap(({ finish_reason }) => finish_reason ?? [])).toEqual(["tool_calls"]);
  expect(told.flatMap(({ delta }) => delta.tool_calls ?? [])).toMatchObject([{ function: { arguments: args } }]);
  expect(text.match(/\[DONE\]/g)).toHaveLength(1);
  expect(await journal()).toMatchObject([{ rung: "nudge" }]);
});

describe("what was done about an answer", () => {
  it.each([
    { name: "a second answer", history: armed, says: [sending, resting] },
    { name: "an ending of the guard's own", history: thread(2), says: [sending, sending] },
  ])("is kept before its reader has it, since the next request may come at once: $name", async ({ history, says }) => {
    let written = 0;
    const stores = storesVia(async (own, command, [, json]) => {
      await new Promise((resolve) => setImmediate(resolve));
      const won = await own();
      if (command === "sessions.write" && String(json).includes("intercepted")) written += 1;
      return won;
    });
    const { begin } = interceptRig(says, { stores });
    await (await begin(history, { tools: [sendTool] })).text();
    expect(written).toBe(1);
  });

  it("holds for the request that is sent again, and counts once", async () => {
    const session = randomUUID();
    const { ask, asked, journal } = interceptRig([sending, sending, sending, resting]);
    const both = [await ask(armed, {}, session), await ask(armed, {}, session)];
    expect(both.map(({ headers }) => headers.get("x-unloop-verdict"))).toEqual(["nudge", "nudge"]);
    expect([asked.length, asked[2]?.body]).toEqual([3, asked[1]?.body]);
    expect(await journal()).toHaveLength(1);
  });

  it("holds for a run that was ended: it gets the same ending, and no model is asked", async () => {
    const session = randomUUID();
    const { ask, asked, journal } = interceptRig([sending, sending, resting]);
    const content = ({ text }: { text: string }) => JSON.parse(text).choices[0].message.content;
    const final = await ask(thread(2), {}, session);
    const before = (await journal()).length;
    expect(content(await ask(thread(2), {}, session))).toBe(content(final));
    expect([asked.length, (await journal()).length]).toEqual([2, before]);
  });
});
