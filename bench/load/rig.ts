import { resolve } from "node:path";
import type { Asked, Order, Report, Reported } from "./client.ts";
import { type Pinned, pinned } from "./process.ts";
import type { Manner } from "./upstream.ts";

/** The load generator and the model, both on one core, which is not that of what is measured. */
export interface Rig {
  readonly upstreamPort: number;
  readonly clientPid: number;
  readonly upstreamPid: number;
  /** How the model answers from now on. */
  answer(manner: Manner): Promise<void>;
  /** Orders of different crews may be under way at a time. */
  play(order: Order): Promise<Report>;
  stop(): Promise<void>;
}

/** The core of the load generator, the model and Redis, and that of what is measured. */
export const LOAD_CORE = 0;
export const MEASURED_CORE = 1;

export async function startRig(): Promise<Rig> {
  const [upstream, client] = [ofOurs("upstream.ts"), ofOurs("client.ts")];
  const [{ port }] = await Promise.all([said<{ port: number }>(upstream), said(client)]);
  let orders = 0;
  return {
    upstreamPort: port,
    clientPid: client.pid,
    upstreamPid: upstream.pid,
    async answer(manner) {
      upstream.child.send(manner);
      await said(upstream);
    },
    async play(order) {
      orders += 1;
      const asked: Asked = { id: orders, order };
      client.child.send(asked);
      return (await said<Reported>(client, ({ id }) => id === asked.id)).report;
    },
    async stop() {
      await Promise.all([upstream.stop(), client.stop()]);
    },
  };
}

const ofOurs = (file: string): Pinned =>
  pinned(["--import", "tsx", resolve(import.meta.dirname, file)], { core: LOAD_CORE, isTalking: true });

/** The next message of a process that is meant. Rejects when it ends instead. */
function said<T>({ child }: Pinned, isMeant: (message: T) => boolean = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    const silence = () => child.off("message", heard).off("exit", ended);
    const heard = (message: T) => {
      if (!isMeant(message)) return;
      silence();
      resolve(message);
    };
    const ended = (code: number | null) => {
      silence();
      reject(new Error(`A process of the benchmark ended with ${code}.`));
    };
    child.on("message", heard).once("exit", ended);
  });
}
