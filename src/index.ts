import type { Hono } from "hono";
import { assembledGuard, type GuardOptions, type UnloopOptions } from "./assembled-guard.ts";
import { guardApp } from "./guard-app.ts";
import { checkOptions } from "./option-check.ts";
import type { Guard } from "./proxy/proxy.ts";
import { areInMemory, memoryStores } from "./store/memory/memory.ts";
import { webTransport } from "./transport/web.ts";

export type { JudgeOptions, UnloopOptions } from "./assembled-guard.ts";
export type { Mode } from "./config/config.ts";
export { type ErrorCode, UnloopError } from "./errors.ts";
export {
  type Ladder,
  type LadderName,
  type Policy,
  policyFrom,
  policyNamed,
  presetNamed,
  presetNames,
  type Rung,
} from "./policy/policy.ts";
export type { ExchangeObserver, ExchangeReport, Guard, Log, Meter } from "./proxy/proxy.ts";
export { memoryStores } from "./store/memory/memory.ts";
export {
  type Counters,
  type Directives,
  type Directory,
  type DirectoryChange,
  type DirectoryEntry,
  isTaken,
  type Journal,
  type JournalItem,
  type Plain,
  refuseOversized,
  refuseUncountable,
  type SessionKey,
  type SessionStore,
  type Stored,
  type Stores,
  type ThreadKey,
  type Totals,
} from "./store/store.ts";
export type { Transport } from "./transport/transport.ts";
export { webTransport } from "./transport/web.ts";

/**
 * The guard as a Hono app: serve it, or mount it with `app.route("/llm", unloop({ upstream }))`.
 * @throws TypeError with the code `bad_setting`, naming the option, what it may be and what was probably meant
 */
export function unloop(options: UnloopOptions): Hono {
  checkOptions(options);
  const transport = options.transport ?? webTransport();
  return guardApp(guardOf({ ...options, transport }), transport);
}

/**
 * The guard without Hono, for a server that hands it exchanges of its own transport.
 * @throws TypeError as `unloop` does
 */
export function guardOf(options: GuardOptions): Guard {
  checkOptions(options);
  return assembledGuard({ ...options, stores: options.stores ?? memoryStores() }, areInMemory);
}
