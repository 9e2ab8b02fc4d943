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

  it("climbs the ladder; until a rung is reached it gets every request as it was sent, and its client each answer", async () => {
    const { turns } = await run(7);
    expect(verdictsOf(turns)).toEqual(climb);
    expect(turns.slice(0, 3).map(received)).toEqual(turns.slice(0, 3).map((turn) => turn.sent));
    expect(turns.slice(0, 6).map((turn) => turn.text)).toEqual(
      turns.slice(0, 6).map((turn) => turn.received[0]?.answer.toString()),
    );
  });

  it("is nudged at the end of the last result alone, sees that in its place ever after, and is then forbidden its tools", async () => {
    const { turns } = await run(6);
    const [, , , nudge, after, forced] = turns;
    const note = noteAtEnd(nudge);
    for (const part of ["search", "3 times", "If this is intended, carry on."]) expect(note).toContain(part);
    // The result stands right above it.
    expect(note).not.toContain("rain in the morning");
    expect(received(nudge).replace(note, "")).toBe(nudge?.sent);
    expect(received(after).replace(note, "")).toBe(after?.sent);
    expect(received(after).startsWith(received(nudge).slice(0, -"]}".length))).toBe(true);
    expect(messagesText(forced).startsWith(messagesText(after))).toBe(true);
    expect(after?.headers.get("x-unloop-sticky")).toBe("1");
    expect(JSON.parse(received(forced))).toMatchObject({ tool_choice: "none", tools: [searchTool] });
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

  it("is not asked once it has ignored that, and starts at the foot of the ladder with a person's next message", async () => {
    const rig = await guardRig(looping("nothing"));
    const run = agent({ ...rig, extra });
    const ended = (await run.turns(7)).at(-1);
    expect([ended?.status, ended?.received, rig.upstream.requests.length]).toEqual([200, [], 6]);
    expect(ended?.message.content).toContain("going in circles");
    run.hear("Never mind Paris. Try the weather in Rome.");
    const turns = await run.turns(7);
    const lifted = JSON.parse(received(turns[0]));
    expect(lifted).not.toHaveProperty("tool_choice");
    expect(lifted.messages.at(-1)).toEqual({ role: "user", content: "Never mind Paris. Try the weather in Rome." });
    expect(verdictsOf(turns)).toEqual(climb);
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
