import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/index.ts";
import { standard } from "../guard-rig.ts";
import { armed, interceptRig, type Said, sayingSo, sending, sent, told } from "./rig.ts";

const streams = { stream: true, stream_options: { include_usage: true } };
const ways = [
  { kind: "JSON", extra: {}, again: sending },
  { kind: "a stream of words and calls", extra: streams, again: sayingSo },
];

/** The message has gone out so often: once it is one step from the nudge, twice from force-done, three times from the end. */
const thread = (times: number) => [
  armed[0] ?? {},
  ...Array.from({ length: times }, (_, i) => sent(`call_${i}`)).flat(),
];

const rig = (says: readonly Said[], more: Partial<Policy>) =>
  interceptRig(says, { policy: { ...standard(), ...more } });

describe.each(ways)("what a policy says about answers, $kind", ({ extra, again }) => {
  it("is not to intercept: the answer is passed on as it is", async () => {
    const { ask, asked, answers, journal } = rig([again], { intercept: "off" });
    expect((await ask(armed, extra)).text).toBe(answers[0]);
    expect(asked).toHaveLength(1);
    expect(await journal()).toEqual([]);
  });

  it("is to intercept: an answer that repeats is delivered after a nudge", async () => {
    const { ask, asked, journal } = rig([again, again], {});
    const { text } = await ask(armed, extra);
    expect(asked).toHaveLength(2);
    expect(text).toContain("send_message");
    if ("stream" in extra) expect(told(text)).toMatchObject({ roles: 1, finishes: ["tool_calls"], dones: 1, calls: 1 });
    expect(await journal()).toMatchObject([{ rung: "nudge", detector: "repeated-call", foreseen: true }]);
  });

  it("ends the run itself when the model does not finish though it was made to", async () => {
    const { ask, asked, journal } = rig([again, again], {});
    const { text, status } = await ask(thread(2), extra);
    expect([asked.length, status]).toEqual([2, 200]);
    expect(text).toContain("going in circles");
    expect((await journal())[0]).toMatchObject({ rung: "short-circuit", foreseen: true });
  });

  it("leaves several alternatives alone", async () => {
    const { ask, asked, answers } = rig([again], {});
    expect((await ask(armed, { ...extra, n: 2 })).text).toBe(answers[0]);
    expect(asked).toHaveLength(1);
  });
});

describe("a run that is to end with an error", () => {
  const ending = { finalResponse: "error" as const };

  it.each([
    { kind: "JSON", extra: {}, again: sending, when: "at once", history: thread(3), says: 1 },
    { kind: "a stream of calls", extra: streams, again: sending, when: "at once", history: thread(3), says: 1 },
    { kind: "a stream of calls", extra: streams, again: sending, when: "later", history: thread(2), says: 2 },
  ])("is refused as long as nothing of $kind was seen, $when", async ({ extra, again, history, says }) => {
    const { ask } = rig(Array(says).fill(again), ending);
    const { status, headers, text } = await ask(history, extra);
    expect(status).toBe(400);
    expect(headers.get("x-should-retry")).toBe("false");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "loop_detected" } });
  });
});

describe("an answer that is too long to keep", () => {
  // Not one letter over and over: that would be cut off.
  const prose = randomBytes(560_000).toString("hex");
  const both = [{ extra: {} }, { extra: streams }];

  it.each(both)("is delivered as it is though it may be a loop: $extra", async ({ extra }) => {
    const call = {
      id: "call_0",
      type: "function",
      function: { name: "send_message", arguments: JSON.stringify({ text: prose }) },
    };
    const repeating = [
      armed[0] ?? {},
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_0", content: "Sent." },
    ];
    const { ask, asked } = interceptRig([() => Promise.resolve(once(prose, extra))]);
    expect((await ask(repeating, extra)).text).toBe(await once(prose, extra).text());
    expect(asked).toHaveLength(1);
  });

  it.each(both)("is delivered in place of the first one, too: $extra", async ({ extra }) => {
    const { ask, asked, journal } = interceptRig([sending, once(prose, extra)]);
    const { text } = await ask(armed, extra);
    expect(asked).toHaveLength(2);
    expect(text.length).toBeGreaterThan(1_100_000);
    if ("stream" in extra) expect(told(text)).toMatchObject({ roles: 1, finishes: ["tool_calls"], dones: 1, calls: 1 });
    expect(await journal()).toMatchObject([{ rung: "nudge" }]);
  });
});

/** The whole call at once, as some servers stream it. */
function once(text: string, extra: object): Response {
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "send_message", arguments: JSON.stringify({ text }) },
  };
  const message = { role: "assistant", tool_calls: [call] };
  if (!("stream" in extra)) return Response.json({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const data = JSON.stringify({ id: "c1", choices: [{ index: 0, delta: message, finish_reason: "tool_calls" }] });
  return new Response(`data: ${data}\n\ndata: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}
