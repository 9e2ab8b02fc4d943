import type { Activity } from "../activity/activity.ts";
import type { RolloutArm, Ruleset } from "../config/config.ts";
import { memoizeByRef, type Sign } from "../engine/engine.ts";
import type { Protocol, Stamp } from "../protocols/protocols.ts";
import type { BackedThreadCache } from "../session/session.ts";
import type { Stores } from "../store/store.ts";
import type { Transport } from "../transport/transport.ts";
import type { ClientChoice, GuardTerms } from "./request/request-metadata.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { ExchangeObserver } from "./exchange-report.ts";
import type { JudgeState } from "./judge-state.ts";
import type { Log } from "./log.ts";
import type { Routes } from "./relay/routes.ts";
import type { Meter } from "./meter.ts";
import type { ClientKey } from "./request/clients.ts";
import type { Containments } from "../activity/activity.ts";
import type { InFlight } from "./request/in-flight.ts";
import type { UntoldSessions } from "./settle/untold-sessions.ts";

/** Where the operator's configuration puts a request. */
export interface Placement {
  /** Name that the configuration gives the tenant. */
  readonly tenant?: string;
  /** Name of its client key. */
  readonly client?: string;
  /** The rule that chose mode and policy. */
  readonly rule?: string;
  /** Side of a rollout by percentage. */
  readonly arm?: RolloutArm;
}

/** Dependencies and policy of a guard. */
export interface GuardContext extends GuardTerms, ClientChoice {
  readonly routes: Routes;
  readonly stores: Stores;
  readonly transport: Transport;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Unix time, seconds. */
  readonly now: () => number;
  /** For an answer that is given here. */
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nothing is asked of an exchange beyond its log line. Never throws. */
  readonly observer: ExchangeObserver | undefined;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly sessionTtlMs: number;
  /** Models that were missed in a price table, and told of. */
  readonly unpriced: Set<string>;
  readonly inFlight: InFlight;
  readonly untold: UntoldSessions;
  readonly judgeState: JudgeState;
  readonly rules: Ruleset;
  /** Where there are any, every request needs one. */
  readonly clients: readonly ClientKey[];
  readonly activity: Activity;
  readonly containments: Containments;
  readonly placement: Placement;
  /** Undefined: each request is read whole. */
  readonly threadCache: BackedThreadCache | undefined;
}

/** Dependencies and policy for one exchange. */
export interface ExchangeContext extends GuardContext {
  readonly protocol: Protocol;
  /** Where it goes. */
  readonly upstream: URL;
}

/** On the operator's own terms, which most exchanges are on: made once for each protocol and upstream. */
export function exchangeContexts(context: GuardContext): (protocol: Protocol, upstream: URL) => ExchangeContext {
  const ofProtocol = memoizeByRef((protocol: Protocol) =>
    memoizeByRef((upstream: URL): ExchangeContext => ({ ...context, protocol, upstream })),
  );
  return (protocol, upstream) => ofProtocol(protocol)(upstream);
}
