import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { assembledGuard } from "./assembled-guard.ts";
import type { Policy } from "./policy/policy.ts";
import type { Log } from "./proxy/proxy.ts";
import { areInMemory, memoryStores } from "./store/memory/memory.ts";
import { nodeTransport } from "./transport/node.ts";
import { madeUpRun, type MadeUpTurn } from "./warm-up-runs.ts";

/** Longest time that it takes, as a multiple of its CPU time: on a busy machine others come first. */
const PATIENCE = 4;
const TURNS = 20;

interface WarmUp {
  readonly policy: Policy;
  /** CPU time of the process that it may use, compilation included, in milliseconds; 0: there is none. */
  readonly cpuMs: number;
  readonly stop: AbortSignal;
  readonly log: Log;
}

/**
 * Plays made-up runs through a guard of its own, on loopback, so that real requests meet compiled code. Nothing of them is kept or
 * reported. `over` never rejects.
 */
export function startWarmUp({ policy, cpuMs, stop, log }: WarmUp): { isOver(): boolean; readonly over: Promise<void> } {
  let isOver = cpuMs === 0;
  const begun = performance.now();
  const before = process.cpuUsage();
  const isEnough = () => {
    const { user, system } = process.cpuUsage(before);
    return stop.aborted || (user + system) / 1_000 >= cpuMs || performance.now() - begun >= PATIENCE * cpuMs;
  };
  const over = (isOver ? Promise.resolve() : playUntil(isEnough, policy))
    .catch((cause: unknown) => log.warn({ cause: String(cause) }, "warm-up-failed"))
    .finally(() => {
      isOver = true;
    });
  return { isOver: () => isOver, over };
}

async function playUntil(isEnough: () => boolean, policy: Policy): Promise<void> {
  const rig = await startRig(policy);
  try {
    for (let run = 0; !isEnough(); run += 1)
      for (const turn of madeUpRun(run, TURNS)) {
        if (isEnough()) break;
        await rig.ask(turn);
      }
  } finally {
    await rig.close();
  }
}

async function startRig(policy: Policy) {
  let answer: MadeUpTurn["answer"] | undefined;
  const model = await listening((incoming, outgoing) => {
    incoming.resume().on("end", () => {
      outgoing.writeHead(200, { "content-type": answer?.contentType }).end(answer?.body);
    });
  });
  const transport = nodeTransport();
  const stores = memoryStores({ maxEntries: 100, maxBytes: 1_000_000 });
  const guard = assembledGuard({ policy, stores, transport, upstream: urlOf(model) }, areInMemory);
  const server = await listening((incoming, outgoing) => transport.take(incoming, outgoing, guard));
  const client = new Agent();
  return {
    async ask({ path, body, answer: next }: MadeUpTurn) {
      answer = next;
      const headers = { "content-type": "application/json", authorization: "Bearer none" };
      const response = await client.request({ origin: urlOf(server), path, method: "POST", headers, body });
      await response.body.dump();
    },
    async close() {
      await Promise.all([client.destroy(), transport.close()]);
      for (const one of [server, model]) one.close();
    },
  };
}

async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
