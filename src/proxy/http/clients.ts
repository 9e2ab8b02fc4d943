import { sha256Hex } from "../../text/keyed-hash.ts";
import type { Mode } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Fields, Incoming } from "../../transport/transport.ts";
import type { Configuration } from "../guard-context.ts";

/** A client key of the operator's own, as it is known: by its SHA-256 alone. */
export interface ClientKey {
  readonly name: string;
  /** Sessions of different tenants are kept apart. */
  readonly tenant: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly policy?: Policy | undefined;
  readonly mode?: Mode | undefined;
  /** Unix time in milliseconds from which on it is refused; undefined: never. */
  readonly expires?: number | undefined;
  /** Patterns of the models that it may ask; undefined: all. */
  readonly models?: string | readonly string[] | undefined;
  readonly mayAsk?: ((model: string) => boolean) | undefined;
  /** Undefined: no limit. */
  readonly requestsPerMinute?: number | undefined;
  /** Sent upstream in place of the client's. */
  readonly upstreamKey?: string | undefined;
}

/** What goes upstream in place of a client key; without a key nothing does, since the client's is none of the upstream's business. */
export interface UpstreamKey {
  readonly key: string | undefined;
}

/** Where clients send their keys: OpenAI's, Anthropic's, Azure's and Google's SDKs. */
const PLACES = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

/**
 * Whose key a request carries; undefined where the operator has given out none.
 * @throws UnloopError `client_key_refused`
 */
export function clientOf(
  exchange: Incoming,
  { clients, onKeyRefused }: Pick<Configuration, "clients" | "onKeyRefused">,
  now = Date.now(),
): ClientKey | undefined {
  if (clients.length === 0) return undefined;
  const { fields } = exchange;
  for (const place of PLACES) {
    const key = keyIn(fields[place]);
    const hash = key === undefined ? undefined : sha256Hex(key);
    const client = clients.find(({ sha256 }) => sha256 === hash);
    if (client?.expires !== undefined && now >= client.expires) {
      onKeyRefused(exchange, client.name);
      throw new UnloopError("client_key_refused", `The client key "${client.name}" has expired.`);
    }
    if (client !== undefined) return client;
  }
  onKeyRefused(exchange, undefined);
  throw new UnloopError("client_key_refused", "The request has no client key of this proxy.");
}

function keyIn(field: Fields[string]): string | undefined {
  const text = field === undefined ? "" : String(field);
  const key = text.replace(/^bearer +/i, "").trim();
  return key === "" ? undefined : key;
}

export function upstreamKeyOf(client: ClientKey | undefined): UpstreamKey | undefined {
  return client && { key: client.upstreamKey };
}

/** A request's fields with the upstream's key in the places where the client had its own. */
export function withUpstreamKey(fields: Fields, upstreamKey: UpstreamKey | undefined): Fields {
  if (upstreamKey === undefined) return fields;
  const { key } = upstreamKey;
  const replaced: Record<string, Fields[string]> = { ...fields };
  for (const place of PLACES) {
    if (replaced[place] === undefined) continue;
    if (key === undefined) delete replaced[place];
    else replaced[place] = /^bearer /i.test(String(replaced[place])) ? `Bearer ${key}` : key;
  }
  return replaced;
}
