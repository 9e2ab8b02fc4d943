import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { agent, type Message, searchTool, verdictsOf } from "./agent.ts";
import { guardRig, post } from "./guard-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

/** A run of which each request tells only the task and the last two turns: the guard's memory alone shows the loop. */
async function shortenedRun(requests: readonly { url: string; headers?: Record<string, string> }[]) {
  const history: Message[] = [];
  const verdicts: (string | null)[] = [];
  for (const { url, headers } of requests) {
    const messages = [{ role: "user", content: "What is the weather in Paris?" }, ...history.slice(-4)];
    const given = await post(url, JSON.stringify({ model: "gpt-4o", tools: [searchTool], messages }), headers);
    const { message } = JSON.parse(given.text).choices[0];
    verdicts.push(given.headers.get("x-unloop-verdict"));
    history.push(message, { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "rain till noon" });
  }
  return verdicts;
}

/** Seven requests, each with its own fields. */
async function sevenRequests(headersOf: (turn: number) => Record<string, string>) {
  const { url } = await guardRig(looping("nothing"));
  return shortenedRun(Array.from({ length: 7 }, (_, turn) => ({ url, headers: headersOf(turn) })));
}

describe("x-unloop-session", () => {
  it.each(["", "null", "undefined", "x".repeat(257), "[object Object]"])("is ignored when it is %j", async (value) => {
    const rig = await guardRig(looping("nothing"));
    const [first] = await agent({ ...rig, headers: { "x-unloop-session": value } }).turns(1);
    expect(first?.headers.get("x-unloop-session-source")).toBe("derived");
  });

  it.each(["authorization", "x-api-key", "api-key"])("reaches only sessions of the same %s", async (name) => {
    const verdicts = await sevenRequests((turn) => ({ "x-unloop-session": "run-1", [name]: `key-${turn}` }));
    expect(verdicts).toEqual(Array(7).fill("ok"));
  });
});

describe("runs side by side", () => {
  it("fifty requests of one thread at once all pass and count once", async () => {
    const rig = await guardRig(looping("nothing"));
    const run = agent({ ...rig, headers: { "x-unloop-session": "run-1" } });
    await run.turns(3);
    const body = run.body();
    const headers = { "x-unloop-session": "run-1" };
    const given = await Promise.all(Array.from({ length: 50 }, () => post(rig.url, body, headers)));
    expect(new Set(given.map((one) => one.headers.get("x-unloop-verdict")))).toEqual(new Set(["nudge"]));
    expect(verdictsOf(await run.turns(4))).toEqual(climb.slice(3));
  });
});
