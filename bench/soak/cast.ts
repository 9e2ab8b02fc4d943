import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { freePort, type RedisServer, startRedis } from "../../test/support/servers/redis.ts";
import { type Pinned, pinned } from "../load/process.ts";
import { LOAD_CORE, MEASURED_CORE } from "../load/rig.ts";
import type { News, Order, Watched } from "./agents.ts";
import { labelOf, type Reference } from "./judge.ts";
import type { State } from "./model.ts";
import type { Run } from "./run.ts";
import { type Server, startServer } from "./server.ts";

/** Everybody who takes part. */
export interface Cast {
  readonly redis: RedisServer;
  readonly server: Server;
  /** How runs go while nothing else goes on, by kind. */
  references(): Promise<ReadonlyMap<string, Reference>>;
  /** @param ended hears of each run when it has ended */
  begin(load: { readonly perSecond: number; readonly watched: Watched }, ended: (run: Run) => void): void;
  /** Resolves when all is answered, with how late the latest request was sent. */
  finish(): Promise<number>;
  model(): Promise<State>;
  stop(): Promise<void>;
}

/** @param flags of node, for the server */
export async function startCast(flags: readonly string[], env: Readonly<Record<string, string>>): Promise<Cast> {
  const redis = await startRedis();
  const [model, agents] = [ofOurs("model.ts"), ofOurs("agents.ts")];
  const [{ url: upstream }] = await Promise.all([heard<{ url: string }>(model), heard(agents)]);
  const server = await startServer({ core: MEASURED_CORE, flags, upstream, redisUrl: redis.url, env });
  const tell = (order: Order) => void agents.child.send(order);
  const playOnce = async ({ port }: Server) => {
    tell({ do: "play once", port });
    return (await heard<{ runs: readonly Run[] }>(agents)).runs;
  };
  return {
    redis,
    server,
    async references() {
      const usual = await playOnce(server);
      const lonely = `redis://127.0.0.1:${await freePort()}`;
      const alone = await startServer({ core: MEASURED_CORE, flags: [], upstream, redisUrl: lonely, env });
      const without = await playOnce(alone);
      await alone.stop();
      return new Map(usual.map((run, index) => [run.kind, { usual: labels(run), without: labels(without[index]) }]));
    },
    begin(load, ended) {
      agents.child.on("message", (news: News) => {
        if ("runs" in news) news.runs.forEach(ended);
      });
      tell({ do: "begin", port: server.port, ...load });
    },
    async finish() {
      const latest = lateness(agents.child);
      tell({ do: "end" });
      return latest;
    },
    async model() {
      model.child.send({});
      return heard<State>(model);
    },
    async stop() {
      await Promise.all([agents.stop(), server.stop()]);
      await Promise.all([model.stop(), redis.stop()]);
    },
  };
}

const labels = (run: Run | undefined): readonly string[] => run?.exchanges.map(labelOf) ?? [];

const ofOurs = (file: string): Pinned =>
  pinned(["--import", "tsx", resolve(import.meta.dirname, file)], { core: LOAD_CORE, isTalking: true });

/** What a process says next, where it is asked one thing at a time. */
async function heard<T>({ child }: Pinned): Promise<T> {
  const [message] = await once(child, "message");
  return message as T;
}

function lateness(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("message", (news: News) => {
      if ("ended" in news) resolve(news.latestMs);
    });
    child.once("exit", (code) => reject(new Error(`The agents ended with ${code}.`)));
  });
}
