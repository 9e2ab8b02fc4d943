import { describe, expect, it } from "vitest";
import { finalText, healthy, looping } from "../support/agents/scripts.ts";
import { agent, doneTool, searchTool, type Turn, verdictsOf } from "./agent.ts";
import { guardRig, post, verdictOf } from "./guard-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const streamed = { stream: true, stream_options: { include_usage: true } };

/** The text of the messages in a request. */
function messagesText(turn: Turn | undefined): string {
  return /"messages":\[(.*)\](,"tool_choice":[^[\]]*)?\}$/s.exec(received(turn))?.[1] ?? "";
}

function received(turn: Turn | undefined): string {
  return turn?.received[0]?.bytes.toString() ?? "";
}

/** The note that a request carries at the end of its last message. */
function noteAtEnd(turn: Turn | undefined): string {
  return /\\n\\n\[unloop\](?:[^"\\]|\\.)*(?="\}$)/s.exec(messagesText(turn))?.[0] ?? "";
}

describe.each([
  { kind: "JSON", extra: {} },
  { kind: "an event stream", extra: streamed },
])("a model that heeds nothing, answering with $kind", ({ extra }) => {
  async function run(count: number, tools: readonly object[] = [searchTool]) {
    const rig = await guardRig(looping("nothing"));
    const turns = await agent({ ...rig, extra, tools }).turns(count);
    return { turns, ...rig };
  }

  it("climbs the ladder step by step", async () => {
    const { turns } = await run(7);
    expect(verdictsOf(turns)).toEqual(climb);
  });

  it("gets every request as it was sent until a rung is reached", async () => {
    const { turns } = await run(3);
    expect(turns.map(received)).toEqual(turns.map((turn) => turn.sent));
  });

  it("hands the client every answer of the model as it was written", async () => {
    const { turns } = await run(6);
    expect(turns.map((turn) => turn.text)).toEqual(turns.map((turn) => turn.received[0]?.answer.toString()));
  });

  it("is nudged at the end of the last tool result and nowhere else", async () => {
    const { turns } = await run(4);
    const nudge = turns[3];
    const note = noteAtEnd(nudge);
    expect(note).toContain("search");
    // The result stands right above it.
    expect(note).not.toContain("rain in the morning");
    expect(note).toContain("3 times");
    expect(note).toContain("If this is intended, carry on.");
    expect(received(nudge).replace(note, "")).toBe(nudge?.sent);
  });

  it("keeps seeing the nudge, byte for byte in its place, and nothing new before the next rung", async () => {
    const { turns } = await run(6);
    const [, , , nudge, after, forced] = turns;
    const note = noteAtEnd(nudge);
    expect(messagesText(after).startsWith(messagesText(nudge))).toBe(true);
    expect(messagesText(forced).startsWith(messagesText(after))).toBe(true);
    expect(received(after).replace(note, "")).toBe(after?.sent);
    expect(received(after).startsWith(received(nudge).slice(0, -"]}".length))).toBe(true);
    expect(after?.headers.get("x-unloop-sticky")).toBe("1");
  });

  it("is forbidden its tools and asked for the final answer where no done tool is on offer", async () => {
    const { turns } = await run(6);
    const forced = turns[5];
    const asked = JSON.parse(received(forced));
    expect(asked.tool_choice).toBe("none");
    expect(asked.tools).toEqual([searchTool]);
    expect(noteAtEnd(forced)).toContain("final answer");
    expect(noteAtEnd(forced)).toContain('The task was: \\"What is the weather in Paris?\\"');
  });

  it("is offered the done tool alone, and made to choose it, where there is one", async () => {
    const { turns } = await run(6, [searchTool, doneTool]);
    const asked = JSON.parse(received(turns[5]));
    expect(asked.tools).toEqual([doneTool]);
    expect(asked.tool_choice).toEqual({ type: "function", function: { name: "done" } });
    expect(noteAtEnd(turns[5])).toContain('Your only tool is \\"done\\"');
  });

  it("is not asked at all once it has ignored that", async () => {
    const { turns, upstream } = await run(7);
    expect(turns[6]?.received).toEqual([]);
    expect(upstream.requests).toHaveLength(6);
    expect(turns[6]?.status).toBe(200);
    expect(turns[6]?.message.content).toContain("going in circles");
  });

  it("gets its tools back with the next message of a person", async () => {
    const rig = await guardRig(looping("nothing"));
    const run = agent({ ...rig, extra });
    await run.turns(7);
    run.hear("Never mind Paris. Try the weather in Rome.");
    const [lifted] = await run.turns(1);
    const asked = JSON.parse(received(lifted));
    expect(verdictsOf(lifted === undefined ? [] : [lifted])).toEqual(["ok"]);
    expect(asked).not.toHaveProperty("tool_choice");
    expect(asked.messages.at(-1)).toEqual({ role: "user", content: "Never mind Paris. Try the weather in Rome." });
  });

  it("starts at the foot of the ladder when it loops again after that", async () => {
    const rig = await guardRig(looping("nothing"));
    const run = agent({ ...rig, extra });
    await run.turns(7);
    run.hear("Never mind Paris. Try the weather in Rome.");
    expect(verdictsOf(await run.turns(7))).toEqual(climb);
  });

  it("is asked the same, byte for byte, when the client sends a request again, and that does not count", async () => {
    const rig = await guardRig(looping("nothing"));
    const run = agent({ ...rig, extra });
    const seen: (string | null)[] = [];
    for (let i = 0; i < 7; i += 1) {
      const repeats = [await post(rig.url, run.body()), await post(rig.url, run.body())];
      const turn = await run.turn();
      const received = rig.upstream.requests.slice(-3).map(({ bytes }) => bytes.toString());
      if (turn.received.length > 0) expect(new Set(received).size).toBe(1);
      // Nothing shows that a first request is not that of another run.
      const told = (headers: Headers) => ({ ...verdictOf(headers), ...(i === 0 && { "x-unloop-session": null }) });
      for (const repeat of repeats) expect(told(repeat.headers)).toEqual(told(turn.headers));
      seen.push(...verdictsOf([turn]));
    }
    expect(seen).toEqual(climb);
  });
});

describe("a model that heeds", () => {
  it("the nudge goes on its way, and the nudge stays where it was", async () => {
    const rig = await guardRig(looping({ nudge: "[unloop]" }));
    const turns = await agent(rig).turns(5);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge", "ok"]);
    expect(turns[4]?.message.content).toBe(finalText);
    expect(messagesText(turns[4]).startsWith(messagesText(turns[3]))).toBe(true);
  });

  it.each([
    { name: "the prohibition of tools ends in words", tools: [searchTool], content: finalText },
    { name: "the choice of the done tool ends with it", tools: [searchTool, doneTool], content: null },
  ])("$name", async ({ tools, content }) => {
    const rig = await guardRig(looping("force-done"));
    const turns = await agent({ ...rig, tools }).turns(6);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done"]);
    expect(turns[5]?.message.content).toBe(content);
    expect(turns[5]?.message.tool_calls?.map((call) => call.function.name)).toEqual(
      content === null ? ["done"] : undefined,
    );
  });
});

describe("a healthy run", () => {
  it.each([{ extra: {} }, { extra: streamed }])("passes byte for byte both ways: $extra", async ({ extra }) => {
    const rig = await guardRig(healthy(12));
    const turns = await agent({ ...rig, extra }).turns(13);
    expect(turns.map(received)).toEqual(turns.map((turn) => turn.sent));
    expect(turns.map((turn) => turn.text)).toEqual(turns.map((turn) => turn.received[0]?.answer.toString()));
    expect(new Set(verdictsOf(turns))).toEqual(new Set(["ok"]));
  });
});
