import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { redisStores } from "../../src/store/redis/redis.ts";
import { looping } from "../support/agents/scripts.ts";
import { postTo, searchTool, sendTool } from "../support/agents/wire-agent.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Heard, Said, Wire } from "../support/wires/wire.ts";
import { guardBefore, guardRig, requestsOnly } from "./guard-rig.ts";

/* Agents whose API keeps their history: they name an answer, a conversation or items, and send what is new. */

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const question: Said = { who: "user", text: "What is the weather in Paris?" };
const rain = ({ calls }: Heard): readonly Said[] =>
  calls.map(({ id }) => ({ who: "tool", id, text: "Rain, all day." }));

interface Turn {
  readonly status: number;
  readonly verdict: string | null;
  readonly session: string | null;
  readonly steps: string | null;
  readonly heard: Heard;
}

async function asked(url: string, body: object, fields: Readonly<Record<string, string>> = {}): Promise<Turn> {
  const { status, headers, heard } = await postTo(responsesWire, url, JSON.stringify(body), fields);
  const of = (name: string) => headers.get(`x-unloop-${name}`);
  return { status, verdict: of("verdict"), session: of("session"), steps: of("steps"), heard };
}

/** Where the request of a turn goes. */
type NextUrl = (turn: number) => string | Promise<string>;

/** An agent that never sends what it has sent before: it names the answer that it goes on from, or a stored conversation. */
function terseAgent(nextUrl: NextUrl, conversation = "") {
  let previous: string | undefined;
  let turns = 0;
  const ask = async (said: readonly Said[]) => {
    const asking = {
      said,
      stream: true,
      tools: [searchTool, sendTool],
      ...(previous && { previousAnswerId: previous }),
    };
    const body = responsesWire.body(asking);
    const turn = await asked(
      await nextUrl(turns++),
      conversation === "" ? body : { ...body, conversation, previous_response_id: undefined },
    );
    previous = turn.heard.id;
    return turn;
  };
  return {
    ask,
    async turns(count: number): Promise<readonly Turn[]> {
      const taken: Turn[] = [];
      for (let i = 0; i < count; i++) taken.push(await ask(i === 0 ? [question] : rain(taken[i - 1]?.heard as Heard)));
      return taken;
    },
  };
}

/** An agent that refers to what was answered item by item: only results and users' words are told. */
function referringAgent(nextUrl: NextUrl, result = (): string => "Rain, all day.") {
  const said: Said[] = [question];
  const taken: Turn[] = [];
  const turn = async () => {
    const one = await asked(
      await nextUrl(taken.length),
      responsesWire.body({ said, stream: true, tools: [searchTool] }),
    );
    taken.push(one);
    const entries = one.heard.entries.map((entry) => ({ type: "item_reference", id: Object(entry).id }));
    said.push({ who: "heard", entries });
    for (const { id } of one.heard.calls) said.push({ who: "tool", id, text: result() });
    return one;
  };
  return {
    said,
    turn,
    async turns(count: number): Promise<readonly Turn[]> {
      for (let i = 0; i < count; i++) await turn();
      return taken;
    },
  };
}

const verdictsOf = (turns: readonly Turn[]) => turns.map(({ verdict }) => verdict);
const stepsOf = (turns: readonly Turn[]) => turns.map(({ steps }) => steps).join("");
const rigFor = (script: Script, policy = requestsOnly()) => guardRig(script, { policy }, responsesWire);

describe("an agent that sends only what is new", () => {
  it.each(["", `conv_${crypto.randomUUID()}`])(
    "is caught at the same turns as one that sends its history: conversation %j",
    async (conversation) => {
      const rig = await rigFor(looping("nothing"));
      const turns = await terseAgent(() => rig.url, conversation).turns(7);
      expect(verdictsOf(turns)).toEqual(climb);
      expect(new Set(turns.slice(1).map(({ session }) => session)).size).toBe(1);
    },
  );

  it("can go on from an answer that the upstream never gave: its person has another wish", async () => {
    const rig = await rigFor(looping("nothing"));
    const agent = terseAgent(() => rig.url);
    const last = (await agent.turns(7)).at(-1);
    const next = await agent.ask([{ who: "user", text: "Then tell me of Rome." }]);
    expect(next).toMatchObject({ status: 200, verdict: "ok", session: last?.session, heard: { calls: [{}] } });
    const texts = rig.upstream.requests.at(-1)?.view.texts ?? [];
    expect(texts.filter((text) => text.includes("there is no result"))).toHaveLength(1);
    expect(texts.at(-1)).toBe("Then tell me of Rome.");
  });
});

describe("an agent that refers to stored items", () => {
  const pair = ["Paris", "Rome"].map((q) => ({ tool: "search", args: JSON.stringify({ q }) }));

  it.each<[string, Script]>([
    ["one call", looping("nothing")],
    ["two calls at once", () => ({ kind: "calls", calls: pair })],
  ])("is caught at the same turns as one that sends its history, with %s", async (_, script) => {
    const rig = await rigFor(script);
    const turns = await referringAgent(() => rig.url).turns(7);
    expect([verdictsOf(turns), stepsOf(turns)]).toEqual([climb, "0123456"]);
    expect(new Set(turns.slice(1).map(({ session }) => session)).size).toBe(1);
  });
});

describe("with a store that replicas share", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  }, 120_000);
  afterAll(() => redis.stop());

  /** Guards that share nothing but a Redis and a secret, before a model that loops; `kept` is all that they left there. */
  async function replicas(count: number, wire: Wire = responsesWire) {
    const upstream = await scriptedUpstream(looping("nothing"), wire);
    onTestFinished(() => upstream.close());
    const prefix = `${crypto.randomUUID()}:`;
    const one = async () => {
      const stores = redisStores({ url: `${redis.url}?prefix=${prefix}` });
      await stores.whenReady(5_000);
      onTestFinished(() => stores.sessions.close());
      const options = { stores, secret: "the secret of all", storeDeadlineMs: 5_000, policy: requestsOnly() };
      return guardBefore(upstream.url, options);
    };
    const guards = await Promise.all(Array.from({ length: count }, one));
    /** The guard of a turn, once all turns before it are kept. */
    const at = async (turn: number) => {
      const recorded = () => guards.flatMap(({ logged }) => logged.filter(({ event }) => event === "recorded"));
      await vi.waitFor(() => expect(recorded()).toHaveLength(turn), { interval: 2 });
      return guards[turn % count]?.url ?? "";
    };
    const kept = async () => {
      const { admin } = redis;
      const keys = await admin.keys(`${prefix}*`);
      const values = keys.map((key) => admin.hgetall(key).catch(() => admin.get(key).catch(() => "")));
      return keys.join("\n") + JSON.stringify(await Promise.all(values));
    };
    return { at, kept, upstream };
  }

  it.each([
    { who: "two that are asked in turn", count: 2, agentAt: terseAgent },
    { who: "a process that is started anew at each turn", count: 7, agentAt: terseAgent },
    { who: "two that are asked in turn, of items", count: 2, agentAt: referringAgent },
  ])("a loop is caught at the same turns by $who, and no text of it and no name of an answer is kept", async (row) => {
    const { at, kept } = await replicas(row.count);
    const turns = await row.agentAt(at).turns(7);
    expect(verdictsOf(turns)).toEqual(climb);
    const left = await kept();
    // Where the guard has ended a run, it keeps the answer before that: the next request goes on from there.
    for (const secret of ["Paris", "search for", "Rain", ...turns.slice(0, 4).map(({ heard }) => heard.id ?? "none")])
      expect(left).not.toContain(secret);
  });
});
