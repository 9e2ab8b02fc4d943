import { Hono } from "hono/tiny";
import type { Exchange, Transport } from "../transport/transport.ts";
import { guard, harmlessLog, harmlessMeter } from "./guard.ts";
import { guardedBy, type Guarding } from "./guard-context.ts";
import { type JudgeEndpoint, judging } from "./judge-state.ts";
import { behind, bookmarksIn, putAwayAll, type Shelf } from "../session/session.ts";
import { underWay } from "./request/in-flight.ts";

export { harmless, harmlessLog } from "./guard.ts";
export type { Guarding } from "./guard-context.ts";
export type { JudgeEndpoint } from "./judge-state.ts";
export type { Log } from "./log.ts";
export { type Meter, noMeter } from "./meter.ts";

export interface GuardSettings extends Omit<Guarding, "unpriced" | "underWay" | "judging" | "shelf"> {
  /** Steps of threads that are remembered here, so that their next requests need not be read whole; 0: none. */
  readonly rememberedSteps: number;
  /** Undefined: nobody judges how near the goal is. */
  readonly judge: JudgeEndpoint | undefined;
}

/** The guard by itself. */
export interface Guard {
  /** Runs one exchange, from the first byte of the request to the record of it. Never rejects. */
  (exchange: Exchange): Promise<void>;
  /** Puts away what only this process remembers, before it ends. Never rejects. */
  settle(): Promise<void>;
}

export function guardFor({ judge, rememberedSteps, ...settings }: GuardSettings): Guard {
  const guarding: Guarding = {
    ...settings,
    ...remembering(rememberedSteps, settings),
    log: harmlessLog(settings.log),
    meter: harmlessMeter(settings.meter),
    unpriced: new Set(),
    underWay: underWay(),
    judging: judging(judge),
  };
  const standard = guardedBy(guarding);
  const run = (exchange: Exchange) => guard(exchange, guarding, standard);
  return Object.assign(run, { settle: () => settle(guarding.shelf) });
}

/** A guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(run: Guard, transport: Transport): Hono {
  return new Hono().all("*", (context) => transport.accept(context, run));
}

/** A store of this process alone ends with it. */
async function settle(shelf: Shelf | undefined): Promise<void> {
  if (shelf?.isShared === true) await putAwayAll(shelf.bookmarks, shelf.store, shelf.ttlMs);
}

function remembering(
  maxSteps: number,
  { stores, sessionTtlMs: ttlMs, clock: now }: Pick<Guarding, "stores" | "sessionTtlMs" | "clock">,
): Pick<Guarding, "shelf" | "stores"> {
  if (maxSteps === 0) return { shelf: undefined, stores };
  const bookmarks = bookmarksIn({ maxSteps, ttlMs, now });
  const { sessions: store, isShared } = stores;
  return {
    shelf: { bookmarks, store, isShared, ttlMs },
    stores: { ...stores, sessions: behind(bookmarks, store, ttlMs) },
  };
}
