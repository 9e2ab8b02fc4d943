import { UnloopError } from "../../errors.ts";
import type { SessionKey, Stores } from "../../store/store.ts";
import type { ClientKey } from "./clients.ts";

/** When client keys were used, and how often they may be. */
export interface ClientUse {
  /** A request carries this key. @throws UnloopError `rate_limited` */
  take(client: ClientKey): void;
  /** When each was last used, by name, on any process that shares the store; Unix time, milliseconds, to the minute. */
  lastUsed(): Promise<ReadonlyMap<string, number>>;
}

/** Kept for a month, under one key for all. */
const KEY = "client-use" as SessionKey;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;

interface Use {
  at: number;
  /** When the store was told. */
  toldAt: number;
  /** Requests that may come at once; they grow again by the limit each minute. */
  left: number;
}

/** @param now Unix time, milliseconds */
export function clientUse(
  counters: Stores["counters"],
  inBackground: (run: () => Promise<void>) => unknown,
  now: () => number = Date.now,
): ClientUse {
  const uses = new Map<string, Use>();
  /** Counters only add: what is missing up to now. */
  const tell = async (name: string, at: number): Promise<void> => {
    const minute = Math.floor(at / MINUTE_MS);
    const { [name]: known = 0 } = await counters.add(KEY, { [name]: 0 }, KEPT_MS);
    if (minute > known) await counters.add(KEY, { [name]: minute - known }, KEPT_MS);
  };
  return {
    take({ name, requestsPerMinute: limit }) {
      const at = now();
      const use = uses.get(name) ?? { at, toldAt: 0, left: Number.POSITIVE_INFINITY };
      uses.set(name, use);
      // A clock that is set back takes nothing away; a limit that is new begins whole.
      if (limit !== undefined) use.left = Math.min(limit, use.left + (Math.max(0, at - use.at) / MINUTE_MS) * limit);
      use.at = at;
      if (at - use.toldAt >= MINUTE_MS) {
        use.toldAt = at;
        void inBackground(() => tell(name, at));
      }
      if (limit === undefined) return;
      if (use.left < 1) {
        const retryAfterS = Math.ceil(((1 - use.left) / limit) * (MINUTE_MS / 1_000));
        throw new UnloopError("rate_limited", `The client key "${name}" may ask ${limit} times a minute.`, {
          retryAfterS,
        });
      }
      use.left -= 1;
    },
    async lastUsed() {
      const minutes = Object.entries(await counters.read(KEY));
      const last = new Map(minutes.map(([name, minute]) => [name, Math.min(now(), minute * MINUTE_MS)]));
      for (const [name, { at }] of uses) if (at > (last.get(name) ?? 0)) last.set(name, at);
      return last;
    },
  };
}
