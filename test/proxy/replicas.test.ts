import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { served } from "../cli/command.ts";
import { readLedger } from "../../src/session/session.ts";
import { type RedisCluster, startCluster } from "../support/servers/redis-cluster.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { type Script, scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { type Agent, agent, type Turn, verdictsOf } from "./agent.ts";
import { guardRig } from "./guard-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

const requestsAlone = '{"extends":"default","intercept":"off"}';

let redis: RedisServer;
let cluster: RedisCluster;
beforeAll(async () => {
  [redis, cluster] = await Promise.all([startRedis(), startCluster(3)]);
}, 120_000);
afterAll(async () => {
  await Promise.all([redis.stop(), cluster.stop()]);
});

/** Loops for ever, with call ids that follow from the request alone, so that two runs can be compared byte for byte. */
const loop: Script = (asked, index) => {
  const answer = looping("nothing")(asked, index);
  const used = [...asked.bytes.toString().matchAll(/call_7e3f91ab5c2d8f04_(\d+)/g)].map(([, number]) => Number(number));
  const id = `call_7e3f91ab5c2d8f04_${Math.max(0, ...used) + 1}`;
  return answer.kind === "calls" ? { ...answer, calls: answer.calls.map((call) => ({ ...call, id })) } : answer;
};

/** Processes of their own that share a Redis and a secret, in front of one model. */
async function replicas(count: number, redisUrl: string, script: Script = loop, policy = requestsAlone) {
  const upstream = await scriptedUpstream(script);
  onTestFinished(() => upstream.close());
  const prefix = `${crypto.randomUUID()}:`;
  const env = {
    REDIS_URL: `${redisUrl}?prefix=${prefix}`,
    UNLOOP_STORE_DEADLINE_MS: "5000",
    UNLOOP_POLICY: policy,
    UNLOOP_SECRET: "the secret of all replicas",
  };
  const all = await Promise.all(Array.from({ length: count }, () => served(upstream.url, ["--log", "debug"], env)));
  const said = all.map(() => "");
  for (const [i, { child }] of all.entries()) child.stderr.on("data", (piece) => (said[i] += String(piece)));
  /** What is kept is kept after the last byte, while an agent is at its tools. */
  const recorded = (exchanges: number) =>
    vi.waitFor(() => expect(said.join("").split('"event":"recorded"').length - 1).toBe(exchanges), 10_000);
  return { upstream, all, urls: all.map(({ url }) => url), prefix, recorded };
}

/** Every turn at the next one of the replicas. */
function inTurn(urls: readonly string[]): (turn: number) => string {
  return (turn) => urls[turn % urls.length] ?? "";
}

/** What a model is asked in a run of seven turns that one process guards, with its own memory. */
async function askedByOne(prepare: (run: Agent, turn: number) => void = () => undefined): Promise<readonly string[]> {
  const rig = await guardRig(loop);
  const run = agent(rig);
  const turns: Turn[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    prepare(run, turn);
    turns.push(await run.turn());
  }
  expect(verdictsOf(turns)).toEqual(climb);
  return askedIn(turns);
}

function askedIn(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ received }) => received.map(({ bytes }) => bytes.toString()));
}

describe("two processes, asked in turn,", { timeout: 60_000 }, () => {
  it.each([
    { name: "one Redis", url: () => redis.url },
    { name: "a Cluster of three nodes", url: () => cluster.url },
  ])(
    "catch a loop on $name at the same turns as one process, and ask the model the same, byte for byte",
    async ({ url }) => {
      const { upstream, urls, recorded } = await replicas(2, url());
      const run = agent({ url: inTurn(urls), upstream });
      const first = await run.turn();
      await recorded(1);
      const turns = [first, ...(await run.turns(6))];
      expect(verdictsOf(turns)).toEqual(climb);
      expect(askedIn(turns)).toEqual(await askedByOne());
      expect(new Set(turns.slice(1).map(({ headers }) => headers.get("x-unloop-session"))).size).toBe(1);
    },
  );

  it("know of each other what was done about an answer", async () => {
    const { upstream, urls, recorded } = await replicas(2, redis.url, loop, "default");
    const run = agent({ url: inTurn(urls), upstream });
    const turns: Turn[] = [];
    while (turns.length < 6) {
      turns.push(await run.turn());
      await recorded(turns.length);
    }
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit"]);
    const notes = turns.map(({ received }) => received.map(({ bytes }) => String(bytes).split("[unloop]").length - 1));
    // Nothing new was heard after the end, so that the last turn is answered without asking upstream.
    expect(notes).toEqual([[0], [0], [0, 1], [1], [1, 2], []]);
  });

  it("go on counting in a run whose first messages a summary replaces half-way", async () => {
    const { upstream, urls, recorded } = await replicas(2, redis.url);
    const run = agent({ url: inTurn(urls), upstream });
    const summarise = (run: Agent, turn: number) => {
      if (turn === 4) run.summarise(4);
    };
    const turns: Turn[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      summarise(run, turn);
      turns.push(await run.turn());
      await recorded(turn + 1);
    }
    expect(verdictsOf(turns)).toEqual(climb);
    expect(askedIn(turns)).toEqual(await askedByOne(summarise));
  });

  it("know a session by the path, and the model's API never sees it", async () => {
    const { upstream, urls } = await replicas(2, redis.url);
    const turns = await agent({ url: inTurn(urls.map((one) => `${one}/session/run-7`)), upstream }).turns(7);
    expect(verdictsOf(turns)).toEqual(climb);
    expect(new Set(upstream.requests.map(({ target }) => target))).toEqual(new Set(["/v1/chat/completions"]));
    for (const { headers } of turns) {
      expect(headers.get("x-unloop-session-source")).toBe("url:/session/");
      expect(headers.get("x-unloop-session")).toBe("run-7");
    }
  });

  it("remember a session for each tenant, where the histories that tenants send tell next to nothing", async () => {
    const { upstream, urls, recorded } = await replicas(2, redis.url);
    const tenant = (key: string) => {
      const headers = { "x-unloop-session": "1", authorization: `Bearer ${key}` };
      return { run: agent({ url: inTurn(urls), upstream, headers }), turns: [] as Turn[] };
    };
    const tenants = { a: tenant("sk-a"), b: tenant("sk-b") };
    // The second begins when the first one has got as far as its nudge.
    for (const [taken, name] of ([..."aaaababababbbb"] as ("a" | "b")[]).entries()) {
      const { run, turns } = tenants[name];
      if (turns.length > 2) run.summarise(4);
      turns.push(await run.turn());
      await recorded(taken + 1);
    }
    expect(verdictsOf(tenants.a.turns)).toEqual(climb);
    expect(verdictsOf(tenants.b.turns)).toEqual(climb);
  });
});

/** When, in which turn (counted from 0), the first of two replicas is killed. */
interface Moment {
  readonly turn: number;
  readonly when: "before it is asked" | "while the model thinks" | "in mid-answer" | "right after the last byte";
}

const moments: readonly Moment[] = [
  { turn: 1, when: "before it is asked" },
  { turn: 3, when: "while the model thinks" },
  { turn: 3, when: "right after the last byte" },
  { turn: 5, when: "in mid-answer" },
  { turn: 6, when: "right after the last byte" },
];

/** Seven turns at a replica, and at the other one from the moment on that the first does not answer. */
async function survivingRun(
  upstream: Upstream,
  urls: readonly string[],
  around: (turn: number) => Around = () => ({}),
) {
  let at = 0;
  const run = agent({ url: () => urls[at] ?? "", upstream });
  const turns: Turn[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const { before, after } = around(turn);
    before?.();
    const taken = await run.turn().catch(() => {
      at = 1;
      return run.turn();
    });
    turns.push(taken);
    after?.();
  }
  return turns;
}

interface Around {
  readonly before?: () => void;
  readonly after?: () => void;
}

describe("a run whose replica is killed goes on at the other one, and its loop is caught at the same turn", () => {
  it.each(moments)(
    "a replica that is killed in turn $turn $when leaves its run to the other one",
    { timeout: 60_000 },
    async ({ turn: deadly, when }) => {
      let strike = () => {};
      let struck = false;
      const script: Script = (asked, index) => {
        if (index !== deadly || struck) return loop(asked, index);
        struck = true;
        if (when === "while the model thinks") strike();
        if (when !== "in mid-answer") return loop(asked, index);
        setImmediate(strike);
        return { kind: "raw", status: 200, fields: {}, pieces: ['{"id":'], ending: "hang" };
      };
      const { upstream, urls, all } = await replicas(2, redis.url, script);
      strike = () => void all[0]?.child.kill("SIGKILL");
      const turns = await survivingRun(upstream, urls, (turn) => {
        if (turn !== deadly) return {};
        if (when === "before it is asked") return { before: strike };
        return when === "right after the last byte" ? { after: strike } : {};
      });
      expect(verdictsOf(turns)).toEqual(climb);
      expect(askedIn(turns)).toEqual(await askedByOne());
      await vi.waitFor(() => expect(all[0]?.child.signalCode).toBe("SIGKILL"));
    },
  );
});

it("a process leaves to the others all that it knows of a healthy run, behind each exchange", async () => {
  const { upstream, urls, prefix, recorded } = await replicas(1, redis.url, healthy(9), "default");
  const run = agent({ url: urls[0] ?? "", upstream });
  for (let turn = 1; turn <= 7; turn += 1) {
    await run.turn();
    await recorded(turn);
  }
  const keys = await redis.admin.keys(`${prefix}{*~*`);
  const records = await Promise.all(keys.map(async (key) => (await redis.admin.get(key)) ?? ""));
  const ledgers = records.map((text) => readLedger(text.slice(text.indexOf("\n") + 1)));
  expect(Math.max(...ledgers.map((ledger) => ledger?.total ?? 0))).toBe(5);
}, 60_000);
