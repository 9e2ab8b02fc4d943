import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Guard, startGuard } from "../support/servers/guarded.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { looping } from "../support/agents/scripts.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 60_000);
afterAll(() => redis.stop());

/** A run whose requests name the answer before them, and tell nothing but its outcomes. @param guardFor the guard of a turn */
async function verdictsOf(wire: Wire, guardFor: (start: () => Promise<Guard>, turn: number) => Promise<Guard>) {
  const upstream = await scriptedUpstream(looping("nothing"), wire);
  onTestFinished(() => upstream.close());
  const env = {
    REDIS_URL: `${redis.url}?prefix=${crypto.randomUUID()}:`,
    UNLOOP_STORE_DEADLINE_MS: "5000",
    UNLOOP_SECRET: "the secret of all replicas",
    UNLOOP_POLICY: JSON.stringify({ intercept: "off" }),
  };
  const start = async () => {
    const guard = await startGuard({ upstream: upstream.url, env });
    onTestFinished(() => guard.close());
    return guard;
  };
  const verdicts: (string | null)[] = [];
  let said: readonly Said[] = [{ who: "user", text: "What is the weather in Paris?" }];
  let previousAnswerId: string | undefined;
  for (let turn = 0; turn < climb.length; turn += 1) {
    const { url } = await guardFor(start, turn);
    const agent = wireAgent(wire, { url, upstream, said, ...(previousAnswerId && { previousAnswerId }) });
    const { headers, heard } = await agent.turn();
    verdicts.push(headers.get("x-unloop-verdict"));
    previousAnswerId = heard.id;
    said = heard.calls.map(({ id }) => ({ who: "tool", id, text: "Rain." }));
  }
  return verdicts;
}

describe.each([messagesWire, responsesWire])("a loop whose history the API keeps, over $name,", (wire) => {
  it("is seen at the same turns by two replicas in turn", async () => {
    const guards: Promise<Guard>[] = [];
    expect(await verdictsOf(wire, (start, turn) => (guards[turn % 2] ??= start()))).toEqual(climb);
  });

  it("is seen at the same turns though the process was another one before the nudge, and before the end", async () => {
    let running: Guard | undefined;
    const restarted = async (start: () => Promise<Guard>, turn: number) => {
      if (running !== undefined && turn !== 3 && turn !== 6) return running;
      await running?.close();
      running = await start();
      return running;
    };
    expect(await verdictsOf(wire, restarted)).toEqual(climb);
  });
});
