import type { Metrics } from "./admin/metrics/prometheus.ts";
import type { Log } from "./proxy/proxy.ts";
import type { RedisStores } from "./store/redis/redis.ts";

/** Stores that know what is the matter with them. */
export type Troubled = Pick<RedisStores, "troubles">;

const LOOK_MS = 10_000;

/** What is the matter with stores that serve, as of the last look: at once, and again and again. Each change is one line of the log. */
export function watchTroubles(
  { troubles }: Partial<Troubled>,
  { log, metrics }: { readonly log: Log; readonly metrics: Pick<Metrics, "storeTroubled"> },
) {
  let standing: ReadonlyMap<string, string> = new Map();
  const look = async () => {
    // Of one that cannot be asked the commands themselves tell.
    const found = await troubles?.().catch(() => undefined);
    if (found === undefined) return;
    const now = new Map(found.map(({ name, sentence }) => [name, sentence]));
    for (const [trouble, why] of now) if (!standing.has(trouble)) log.warn({ trouble, why }, "store-trouble");
    for (const trouble of standing.keys()) if (!now.has(trouble)) log.info({ trouble }, "store-trouble-over");
    standing = now;
    metrics.storeTroubled([...now.keys()]);
  };
  void look();
  const timer = troubles && setInterval(() => void look(), LOOK_MS).unref();
  return { sentences: (): readonly string[] => [...standing.values()], stop: () => clearInterval(timer) };
}
