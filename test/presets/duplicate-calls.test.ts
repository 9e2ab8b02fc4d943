import { describe, expect, it } from "vitest";
import { agent, type AgentOptions, type Turn } from "../proxy/agent.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { ScriptedAnswer, ScriptedCall } from "../support/wires/scripted-answer.ts";
import { passes, presetRig, type Rig, told } from "./rig.ts";

const named = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const tools = ["message", "check_database", "check_api"].map(named);

const message = (text: string): ScriptedCall => ({ tool: "message", args: JSON.stringify({ text }) });
const turn = (calls: readonly ScriptedCall[], text?: string): ScriptedAnswer => ({
  kind: "calls",
  calls,
  ...(text && { text }),
});
const sends = (...texts: readonly string[]) => turn(texts.map(message));
const calling = (tool: string, args: string) => turn([{ tool, args }]);
const raw = (...args: readonly string[]) => args.map((one) => calling("message", one));
const checking = sends("⚙️ Checking database...");

const saying =
  (answers: readonly ScriptedAnswer[]): Script =>
  (_, index) =>
    answers[Math.min(index, answers.length - 1)] ?? { kind: "text", text: "" };

/** An agent with room for fifteen turns, as the one that sent a message fifteen times had. Each call gets another result. */
async function played(rig: Rig, count = 15, more: Partial<AgentOptions> = {}) {
  const done: string[] = [];
  const result = (called: { readonly function: { readonly name: string } }) => {
    done.push(called.function.name);
    return `Accepted as number ${done.length}.`;
  };
  const run = agent({ ...rig, tools, task: "@health-check", result, ...more });
  const turns: Turn[] = [];
  while (turns.length < count && (turns.length === 0 || turns.at(-1)?.message.tool_calls !== undefined))
    turns.push(await run.turn());
  return { turns, done };
}

const play = (answers: readonly ScriptedAnswer[], policy: object = {}, count = 15) =>
  played(presetRig(saying(answers), { extends: "duplicate-calls", ...policy }), count);

describe("the document of an agent that makes the same calls again says:", () => {
  it.each<{ says: string; answers: readonly ScriptedAnswer[]; turns: string; policy?: object }>([
    { says: "the third equal call in a row ends the run, whatever came back", answers: [checking], turns: "ok ok end" },
    {
      says: "arguments are compared by meaning: any order of keys at any depth, any spacing",
      answers: raw(
        '{"a":1,"b":{"x":[1,{"p":1,"q":2}]},"c":true}',
        '{"c":true,"b":{"x":[1,{"q":2,"p":1}]},"a":1}',
        '{"b": {"x": [1, {"p": 1, "q": 2}]}, "a": 1, "c": true}',
      ),
      turns: "ok ok end",
    },
    { says: "and differ as they stand", answers: raw('{"text": "hel', "{text: 1}", "not json"), turns: passes(3) },
    {
      says: "all calls of a turn are compared, not the first alone",
      answers: [sends("a", "b"), sends("a", "c"), sends("a", "d")],
      turns: passes(3),
    },
    { says: "all calls of a turn are equal: that is a duplicate", answers: [sends("a", "b")], turns: "ok ok end" },
    { says: "another call between starts afresh", answers: [..."aabaa"].map((text) => sends(text)), turns: passes(5) },
  ])("$says", async ({ answers, turns, policy }) =>
    expect(told((await play(answers, policy, turns.split(" ").length)).turns)).toBe(turns),
  );
});

describe("an agent whose model repeats its calls", () => {
  it.each([{}, { stream: true, stream_options: { include_usage: true } }])(
    "sends a message twice and not fifteen times, over HTTP: %j",
    async (extra) => {
      const { turns, done } = await played(await guardRig(() => checking, { policy: "duplicate-calls" }), 15, {
        extra,
      });
      expect([told(turns), done]).toEqual(["ok ok end", ["message", "message"]]);
      expect(turns.map(({ received }) => received.length)).toEqual([1, 1, 1]);
      expect(turns.slice(0, 2).map(({ text }) => text)).toEqual(
        turns.slice(0, 2).map(({ received }) => String(received[0]?.answer)),
      );
      expect(turns.map(({ sent }) => sent)).toEqual(turns.map(({ received }) => String(received[0]?.bytes)));
      expect(turns[2]?.message.content).toBe("I've completed processing but have no new response to give.");
    },
  );
});
