import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { finalText, looping } from "../support/agents/scripts.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Said } from "../support/wires/wire.ts";
import { guardRig, requestsOnly, standard } from "./guard-rig.ts";
import { replicas } from "./replica-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const question: Said = { who: "user", text: "What is the weather in Paris?" };

/** An agent that refers to what was answered item by item, as the API keeps it: only results and users' words are told. */
function referringAgent(
  nextUrl: (turn: number) => string,
  { stream = false, result = (): string => "Rain, all day." } = {},
) {
  const said: Said[] = [question];
  const told: { verdict: string | null; steps: string | null; session: string | null; status: number }[] = [];
  return {
    said,
    told,
    async turn() {
      const body = JSON.stringify(responsesWire.body({ said, stream, tools: [searchTool] }));
      const { status, headers, heard } = await postTo(responsesWire, nextUrl(told.length), body);
      const of = (name: string) => headers.get(`x-unloop-${name}`);
      told.push({ verdict: of("verdict"), steps: of("steps"), session: of("session"), status });
      said.push({ who: "heard", entries: heard.entries.map((entry) => ({ type: "item_reference", id: idOf(entry) })) });
      for (const { id } of heard.calls) said.push({ who: "tool", id, text: result() });
      return heard;
    },
    async turns(count: number) {
      for (let turn = 0; turn < count; turn++) await this.turn();
      return told.map(({ verdict }) => verdict);
    },
  };
}

const order = ({ who }: Said) => ["user", "heard", "tool"].indexOf(who);

function idOf(entry: unknown): unknown {
  return (entry as { readonly id?: unknown }).id;
}

describe.each([false, true])("an agent that refers to stored items (streamed: %s)", (stream) => {
  it("is caught at the same turns as one that sends its history", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const agent = referringAgent(() => rig.url, { stream });
    expect(await agent.turns(7)).toEqual(climb);
    expect(agent.told.map(({ steps }) => steps)).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    expect(new Set(agent.told.slice(1).map(({ session }) => session)).size).toBe(1);
  });

  it("is caught where it makes two calls at once", async () => {
    const pair = ["Paris", "Rome"].map((q) => ({ tool: "search", args: JSON.stringify({ q }) }));
    const rig = await guardRig(() => ({ kind: "calls", calls: pair }), { policy: requestsOnly() }, responsesWire);
    expect(await referringAgent(() => rig.url, { stream }).turns(7)).toEqual(climb);
  });

  it("is caught where it tells the items of all its turns first, and then all results", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const agent = referringAgent(() => rig.url, { stream });
    for (let turn = 0; turn < 7; turn++) {
      await agent.turn();
      agent.said.sort((one, other) => order(one) - order(other));
    }
    expect(agent.told.map(({ verdict }) => verdict)).toEqual(climb);
    expect(agent.told.map(({ steps }) => steps)).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  });

  it("is left alone while its calls differ, though their results are alike", async () => {
    const script: Script = (_, index) => ({
      kind: "calls",
      calls: [{ tool: "search", args: `{"q":"city ${index}"}` }],
    });
    const rig = await guardRig(script, { policy: standard() }, responsesWire);
    const agent = referringAgent(() => rig.url, { stream, result: () => "Saved." });
    expect(new Set(await agent.turns(10))).toEqual(new Set(["ok"]));
    expect(rig.upstream.requests.map(({ bytes }) => bytes.toString()).at(-1)).toContain("item_reference");
  });

  it("can go on behind an end that its upstream has never heard of", async () => {
    const rig = await guardRig(looping("nothing"), { policy: requestsOnly() }, responsesWire);
    const agent = referringAgent(() => rig.url, { stream });
    await agent.turns(7);
    agent.said.push({ who: "user", text: "Then tell me of Rome." });
    await agent.turn();
    expect(agent.told.at(-1)).toMatchObject({ status: 200, verdict: "ok" });
    const sent = rig.upstream.requests.at(-1)?.bytes.toString() ?? "";
    expect(sent).toContain("Then tell me of Rome.");
    expect(sent).not.toContain("unloop_");
  });
});

it("what was never relayed here is neither counted as understood nor taken for a repetition", async () => {
  const rig = await guardRig(() => ({ kind: "text", text: finalText }), { policy: standard() }, responsesWire);
  const turns = Array.from({ length: 12 }, (_, turn) => [
    { type: "item_reference", id: `fc_9a8b7c6d5e4f3a2b${turn}` },
    { type: "function_call_output", call_id: `call_1f2e3d4c5b6a7f8e${turn}`, output: "Rain, all day." },
  ]);
  const body = JSON.stringify({ model: "m", input: [{ role: "user", content: "Weather?" }, ...turns.flat()] });
  const { headers } = await postTo(responsesWire, rig.url, body);
  expect([headers.get("x-unloop-verdict"), headers.get("x-unloop-steps")]).toEqual(["ok", "0"]);
  expect(rig.upstream.requests.at(-1)?.bytes.toString()).toBe(body);
});

describe("with a shared store", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  }, 120_000);
  afterAll(() => redis.stop());

  it.each([
    { name: "two replicas that are asked in turn", count: 2 },
    { name: "a process that is started anew at each turn", count: 7 },
  ])("$name catch it at the same turns, and keep no text of it", async ({ count }) => {
    const upstream = await scriptedUpstream(looping("nothing"), responsesWire);
    onTestFinished(() => upstream.close());
    const { guards, kept } = await replicas(redis, upstream.url, count);
    const agent = referringAgent((turn) => guards[turn % count]?.url ?? "");
    expect(await agent.turns(7)).toEqual(climb);
    const left = await kept();
    for (const secret of ["Paris", "search for", "Rain"]) expect(left).not.toContain(secret);
  });
});
