import { oncePer, type Sign } from "../engine/engine.ts";
import type { Protocol, Stamp } from "../protocols/protocols.ts";
import type { Shelf } from "../session/session.ts";
import type { Stores } from "../store/store.ts";
import type { Transport } from "../transport/transport.ts";
import type { ClientChoice, Terms } from "./request/request-metadata.ts";
import type { Judging } from "./judge-state.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import type { UnderWay } from "./request/in-flight.ts";

/** All that a guard is made of. */
export interface Guarding extends Terms, ClientChoice {
  readonly upstream: URL;
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
  readonly maxBodyBytes: number;
  readonly sessionTtlMs: number;
  /** Models that were missed in a price table, and told of. */
  readonly unpriced: Set<string>;
  readonly underWay: UnderWay;
  readonly judging: Judging;
  /** Undefined: each request is read whole. */
  readonly shelf: Shelf | undefined;
}

/** What one guarded exchange is treated with. */
export interface Guarded extends Guarding {
  readonly protocol: Protocol;
}

/** On the operator's own terms, which most exchanges are on: made once for each protocol. */
export function guardedBy(guarding: Guarding): (protocol: Protocol) => Guarded {
  return oncePer((protocol) => ({ ...guarding, protocol }));
}
