import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { served } from "../cli/command.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { looping } from "../support/agents/scripts.ts";
import { type Script, scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { agent, type Turn, verdictsOf } from "./agent.ts";
import { guardRig } from "./guard-rig.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

const requestsAlone = '{"extends":"default","intercept":"off"}';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis.stop());

/** Loops for ever, with call ids that follow from the request alone, so that two runs can be compared byte for byte. */
const loop: Script = (asked, index) => {
  const answer = looping("nothing")(asked, index);
  const used = [...asked.bytes.toString().matchAll(/call_7e3f91ab5c2d8f04_(\d+)/g)].map(([, number]) => Number(number));
  const id = `call_7e3f91ab5c2d8f04_${Math.max(0, ...used) + 1}`;
  return answer.kind === "calls" ? { ...answer, calls: answer.calls.map((call) => ({ ...call, id })) } : answer;
};

/** Processes of their own that share a Redis and a secret, in front of one model. */
async function replicas(count: number, script: Script = loop, policy = requestsAlone) {
  const upstream = await scriptedUpstream(script);
  onTestFinished(() => upstream.close());
  const env = {
    REDIS_URL: `${redis.url}?prefix=${crypto.randomUUID()}:`,
    UNLOOP_STORE_DEADLINE_MS: "5000",
    UNLOOP_POLICY: policy,
    UNLOOP_SECRET: "the secret of all replicas",
  };
  const all = await Promise.all(Array.from({ length: count }, () => served(upstream.url, ["--log", "debug"], env)));
  return { upstream, all, urls: all.map(({ url }) => url) };
}

/** What a model is asked in a run of seven turns that one process guards, with its own memory. */
async function askedByOne(): Promise<readonly string[]> {
  const turns = await agent(await guardRig(loop)).turns(7);
  expect(verdictsOf(turns)).toEqual(climb);
  return askedIn(turns);
}

function askedIn(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ received }) => received.map(({ bytes }) => bytes.toString()));
}

/** When, in which turn (counted from 0), the first of two replicas is killed. */
interface Moment {
  readonly turn: number;
  readonly when: "in mid-answer" | "right after the last byte";
}

const moments: readonly Moment[] = [
  { turn: 3, when: "right after the last byte" },
  { turn: 5, when: "in mid-answer" },
];

/** Seven turns at a replica, and at the other one from the moment on that the first does not answer. */
async function survivingRun(upstream: Upstream, urls: readonly string[], after: (turn: number) => void) {
  let at = 0;
  const run = agent({ url: () => urls[at] ?? "", upstream });
  const turns: Turn[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const taken = await run.turn().catch(() => {
      at = 1;
      return run.turn();
    });
    turns.push(taken);
    after(turn);
  }
  return turns;
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
        if (when !== "in mid-answer") return loop(asked, index);
        setImmediate(strike);
        return { kind: "raw", status: 200, fields: {}, pieces: ['{"id":'], ending: "hang" };
      };
      const { upstream, urls, all } = await replicas(2, script);
      strike = () => void all[0]?.child.kill("SIGKILL");
      const turns = await survivingRun(upstream, urls, (turn) => {
        if (turn === deadly && when === "right after the last byte") strike();
      });
      expect(verdictsOf(turns)).toEqual(climb);
      expect(askedIn(turns)).toEqual(await askedByOne());
      await vi.waitFor(() => expect(all[0]?.child.signalCode).toBe("SIGKILL"));
    },
  );
});
