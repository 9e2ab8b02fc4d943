import type { GuardControl } from "../../proxy/proxy.ts";
import type { Stores } from "../../store/store.ts";
import { type Actor, limitedTo } from "../access.ts";
import type { AlertDestination } from "../alerts/alerts.ts";

/** Services that the admin API works with. */
export interface ApiServices {
  readonly version: string;
  readonly stores: Stores;
  readonly control: GuardControl;
  /** The API's document; undefined where the platform serves it as a file. */
  readonly openApi?: (version: string) => object;
  /** Who is told of loops now, in order; an address is a secret as a rule, and not shown. */
  readonly alerts: () => readonly AlertDestination[];
  /** What operators should know of the deployment, in sentences; nothing without it. */
  readonly warnings?: () => readonly string[];
  /** Unix time, milliseconds. */
  readonly now: () => number;
  /** Aborted when the server begins to drain: an answer without an end would keep it from stopping. Undefined where none drains. */
  readonly draining?: AbortSignal;
}

/** One call of the API: who asks, and for what. */
export interface ApiCall<Body = unknown> extends ApiServices {
  readonly actor: Actor;
  /** How many live journals are open. */
  readonly streams: { open: number };
  /** Identifier in the path. */
  readonly id: string;
  readonly query: (name: string) => string | undefined;
  readonly header: (name: string) => string | undefined;
  /** Undefined where the operation takes none. */
  readonly body: Body;
  /** Aborted when who asked has left. */
  readonly signal: AbortSignal;
}

/** An answer that is no success. */
export class ApiError extends Error {
  readonly status: 400 | 403 | 404 | 413;
  readonly code: string;

  constructor(status: 400 | 403 | 404 | 413, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function notFound(what: string): ApiError {
  return new ApiError(404, "not_found", `There is no ${what}.`);
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "bad_request", message);
}

export function byLowerCase(texts: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name.toLowerCase(), value]));
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Data of all tenants is refused to a token that is limited to one tenant. */
export function refuseTenants({ actor }: ApiCall): void {
  if (actor.tenant === undefined) return;
  const { code, message } = limitedTo(actor);
  throw new ApiError(403, code, message);
}
