import { UnloopError } from "../../errors.ts";
import type { SessionKey, Stores } from "../../store/store.ts";
import { sha256Hex } from "../../text/keyed-hash.ts";
import type { Fields, Incoming } from "../../transport/transport.ts";

export interface ClientKey {
  readonly name: string;
  /** Sessions of different tenants are kept apart. */
  readonly tenant: string;
  /** All that is known of it; hexadecimal. */
  readonly sha256: string;
  /** Unix time in milliseconds from which on it is refused; undefined: never. */
  readonly expires?: number | undefined;
  /** Patterns of the models that it may ask; undefined: all. */
  readonly models?: string | readonly string[] | undefined;
  readonly mayAsk?: ((model: string) => boolean) | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly upstreamKey?: string | undefined;
}

export interface ClientKeys {
  /** Where there are any, every request needs one. */
  readonly clients: readonly ClientKey[];
  /** Told of a request that is refused for its client key, with the name of the key if it was one. Never throws. */
  readonly onKeyRefused: (exchange: Incoming, client: string | undefined) => void;
}

/** Where clients send their keys: OpenAI's, Anthropic's, Azure's and Google's SDKs. */
const PLACES = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

/** Beside keys and a body, what no browser sends when it asks, without any key, whether a page may send its request. */
const NOT_IN_PREFLIGHT = "transfer-encoding x-http-method x-http-method-override x-method-override"
  .split(" ")
  .concat(PLACES);

function isPreflight({ method, fields }: Incoming): boolean {
  const isAsking = fields.origin !== undefined && fields["access-control-request-method"] !== undefined;
  const hasMore =
    Number(fields["content-length"] ?? 0) !== 0 || NOT_IN_PREFLIGHT.some((name) => fields[name] !== undefined);
  return method === "OPTIONS" && isAsking && !hasMore;
}

/**
 * Whose key a request carries; undefined where the operator has given out none, and for a preflight.
 * @throws UnloopError `client_key_refused`
 */
export function clientOf(exchange: Incoming, { clients, onKeyRefused }: ClientKeys, now = Date.now()) {
  if (clients.length === 0 || isPreflight(exchange)) return undefined;
  const [client] = PLACES.flatMap((place) => {
    const key = String(exchange.fields[place] ?? "").replace(/^bearer +/i, "");
    const hash = key.trim() === "" ? undefined : sha256Hex(key.trim());
    return clients.find(({ sha256 }) => sha256 === hash) ?? [];
  });
  const hasExpired = client?.expires !== undefined && now >= client.expires;
  if (client !== undefined && !hasExpired) return client;
  onKeyRefused(exchange, client?.name);
  const why =
    client === undefined
      ? "The request has no client key of this proxy."
      : `The client key "${client.name}" has expired.`;
  throw new UnloopError("client_key_refused", why);
}

/** A request's fields with the upstream's key where the client had its own, which is none of the upstream's business. */
export function withUpstreamKey(fields: Fields, { upstreamKey: key }: ClientKey): Fields {
  const replaced: Record<string, Fields[string]> = { ...fields };
  for (const place of PLACES) {
    if (replaced[place] === undefined) continue;
    if (key === undefined) delete replaced[place];
    else replaced[place] = /^bearer /i.test(String(replaced[place])) ? `Bearer ${key}` : key;
  }
  return replaced;
}

export type ClientUse = ReturnType<typeof clientUse>;

/** Kept for a month, under one key for all. */
const KEY = "client-use" as SessionKey;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;

/** When client keys were used, and how often they may be. @param now Unix time, milliseconds */
export function clientUse(
  counters: Stores["counters"],
  inBackground: (run: () => Promise<void>) => unknown,
  now: () => number = Date.now,
) {
  /** `toldAt`: when the store was told. `left`: requests that may come at once; they grow again by the limit each minute. */
  const uses = new Map<string, { at: number; toldAt: number; left: number }>();
  /** Counters only add: what is missing up to now. */
  const tell = async (name: string, at: number): Promise<void> => {
    const minute = Math.floor(at / MINUTE_MS);
    const { [name]: known = 0 } = await counters.add(KEY, { [name]: 0 }, KEPT_MS);
    if (minute > known) await counters.add(KEY, { [name]: minute - known }, KEPT_MS);
  };
  return {
    /** A request carries this key. @throws UnloopError `rate_limited` */
    take({ name, requestsPerMinute: limit }: ClientKey): void {
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
        const message = `The client key "${name}" may ask ${limit} times a minute.`;
        throw new UnloopError("rate_limited", message, { retryAfterS });
      }
      use.left -= 1;
    },
    /** When each was last used, by name, on any process that shares the store; Unix time, milliseconds, to the minute. */
    async lastUsed(): Promise<ReadonlyMap<string, number>> {
      const minutes = Object.entries(await counters.read(KEY));
      const last = new Map(minutes.map(([name, minute]) => [name, Math.min(now(), minute * MINUTE_MS)]));
      for (const [name, { at }] of uses) if (at > (last.get(name) ?? 0)) last.set(name, at);
      return last;
    },
  };
}
