import { once } from "node:events";
import { resolve } from "node:path";
import type { Order, Report } from "./client.ts";
import { type Pinned, pinned } from "./process.ts";
import type { Manner } from "./upstream.ts";

/** The load generator and the model, both on one core, which is not that of what is measured. */
export interface Rig {
  readonly upstreamPort: number;
  readonly clientPid: number;
  readonly upstreamPid: number;
  /** How the model answers from now on. */
  answer(manner: Manner): Promise<void>;
  play(order: Order): Promise<Report>;
  stop(): Promise<void>;
}

/** The core of the load generator, the model and Redis, and that of what is measured. */
export const LOAD_CORE = 0;
export const MEASURED_CORE = 1;

export async function startRig(): Promise<Rig> {
  const [upstream, client] = [ofOurs("upstream.ts"), ofOurs("client.ts")];
  const [{ port }] = await Promise.all([said<{ port: number }>(upstream), said(client)]);
  return {
    upstreamPort: port,
    clientPid: client.pid,
    upstreamPid: upstream.pid,
    async answer(manner) {
      upstream.child.send(manner);
      await said(upstream);
    },
    play(order) {
      client.child.send(order);
      return said<Report>(client);
    },
    async stop() {
      await Promise.all([upstream.stop(), client.stop()]);
    },
  };
}

const ofOurs = (file: string): Pinned =>
  pinned(["--import", "tsx", resolve(import.meta.dirname, file)], { core: LOAD_CORE, isTalking: true });

/** The next message of a process. @throws when it ends instead */
async function said<T>({ child }: Pinned): Promise<T> {
  const silence = new AbortController();
  const ended = once(child, "exit", { signal: silence.signal }).then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${code}.`);
  });
  // Whichever comes first; the other is not waited for.
  ended.catch(() => undefined);
  const [message] = await Promise.race([once(child, "message", { signal: silence.signal }), ended]);
  silence.abort();
  return message as T;
}
