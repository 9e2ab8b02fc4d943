import { expect, it, onTestFinished, vi } from "vitest";
import { served } from "../cli/command.ts";
import { looping } from "../support/agents/scripts.ts";
import { startRedis } from "../support/servers/redis.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { agent, type Turn, verdictsOf } from "./agent.ts";
import { climb, guardRig } from "./guard-rig.ts";

/** Loops for ever, with call ids that follow from the request alone, so that two runs can be compared byte for byte. */
const loop: Script = (asked, index) => {
  const answer = looping("nothing")(asked, index);
  const used = [...asked.bytes.toString().matchAll(/call_7e3f91ab5c2d8f04_(\d+)/g)].map(([, number]) => Number(number));
  const id = `call_7e3f91ab5c2d8f04_${Math.max(0, ...used) + 1}`;
  return answer.kind === "calls" ? { ...answer, calls: answer.calls.map((call) => ({ ...call, id })) } : answer;
};

const askedIn = (turns: readonly Turn[]) => turns.flatMap(({ received }) => received.map(({ bytes }) => String(bytes)));

it.each([
  { deadly: 3, when: "right after the last byte" },
  { deadly: 5, when: "in mid-answer" },
])(
  "a run whose replica is killed in turn $deadly $when goes on at the other one, and its loop is caught at the same turn",
  {
    timeout: 60_000,
  },
  async ({ deadly, when }) => {
    let strike = () => {};
    let struck = false;
    const script: Script = (asked, index) => {
      if (index !== deadly || struck) return loop(asked, index);
      struck = true;
      if (when !== "in mid-answer") return loop(asked, index);
      setImmediate(strike);
      return { kind: "raw", status: 200, fields: {}, pieces: ['{"id":'], ending: "hang" };
    };
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const upstream = await scriptedUpstream(script);
    onTestFinished(() => upstream.close());
    const env = {
      REDIS_URL: redis.url,
      UNLOOP_STORE_DEADLINE_MS: "5000",
      UNLOOP_POLICY: '{"extends":"default","intercept":"off"}',
      UNLOOP_SECRET: "the secret of all replicas",
    };
    const [one, other] = await Promise.all([1, 2].map(() => served(upstream.url, ["--log", "debug"], env)));
    strike = () => void one?.child.kill("SIGKILL");
    let url = one?.url ?? "";
    const run = agent({ url: () => url, upstream });
    const turns: Turn[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      const taken = await run.turn().catch(() => {
        url = other?.url ?? "";
        return run.turn();
      });
      turns.push(taken);
      if (turn === deadly && when === "right after the last byte") strike();
    }
    expect(verdictsOf(turns)).toEqual(climb);
    // What a model is asked in a run that one process guards, with its own memory.
    expect(askedIn(turns)).toEqual(askedIn(await agent(await guardRig(loop)).turns(7)));
    await vi.waitFor(() => expect(one?.child.signalCode).toBe("SIGKILL"));
  },
);
