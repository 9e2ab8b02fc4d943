import { describe, expect, it } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { agent, type Message, searchTool, verdictsOf } from "./agent.ts";
import { guardRig, post, requestsOnly } from "./guard-rig.ts";

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
  it("joins what belongs together although the history says little", async () => {
    expect(await sevenRequests(() => ({ "x-unloop-session": "run-1" }))).toEqual(climb);
  });

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
  it("two of the same task have a session id each, from the first request on, on any replica", async () => {
    const shared = { stores: memoryStores(), secret: "a secret of both guards" };
    const rigs = [await guardRig(healthy(10), shared), await guardRig(healthy(10), shared)] as const;
    const url = (turn: number) => rigs[turn % 2 === 0 ? 0 : 1].url;
    const runs = [agent({ ...rigs[0], url }), agent({ ...rigs[0], url })];
    const turns = [await runs[0]?.turns(5), await runs[1]?.turns(5)];
    const ids = turns.map((of) => new Set(of?.map(({ headers }) => headers.get("x-unloop-session"))));
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    expect(ids[0]).not.toEqual(ids[1]);
  });

  it("a run that moves between guards with the same store and secret takes its ladder along", async () => {
    const shared = { stores: memoryStores(), secret: "a secret of both guards" };
    const [even, odd] = [await guardRig(looping("nothing"), shared), await guardRig(looping("nothing"), shared)];
    const headers = { "x-unloop-session": "run-1" };
    const requests = Array.from({ length: 7 }, (_, turn) => ({ url: (turn % 2 === 0 ? even : odd).url, headers }));
    expect(await shortenedRun(requests)).toEqual(climb);
  });

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

describe("a turn of three hundred parallel calls", () => {
  const calls = Array.from({ length: 300 }, (_, i) => ({ tool: "search", args: JSON.stringify({ q: `part ${i}` }) }));

  const ladders = { "repeated-call": { nudge: 3 } };

  it("is one step: three equal turns bring one nudge, at the end of the last result", async () => {
    const rig = await guardRig(() => ({ kind: "calls", calls }), { policy: { ...requestsOnly(), ladders } });
    const turns = await agent(rig).turns(4);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge"]);
    const received = turns[3]?.received[0]?.bytes.toString() ?? "";
    expect(received.match(/\[unloop\]/g)).toHaveLength(1);
    expect(received.slice(received.indexOf("[unloop]"))).toMatch(/^[^{}]*search\([^\]]*\}\]\}$/);
  });
});
