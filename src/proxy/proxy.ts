import { Hono } from "hono/tiny";
import { guard, harmlessLog, harmlessMeter } from "./guard.ts";
import type { Guarding } from "./guarding.ts";
import { type JudgeEndpoint, judging } from "./judging.ts";
import { behind, bookmarksIn } from "../session/session.ts";
import { underWay } from "./under-way.ts";

export { harmless, harmlessLog } from "./guard.ts";
export type { Guarding } from "./guarding.ts";
export type { JudgeEndpoint } from "./judging.ts";
export type { Log } from "./log.ts";
export { type Meter, noMeter } from "./meter.ts";

export interface GuardSettings extends Omit<Guarding, "unpriced" | "underWay" | "judging" | "shelf"> {
  /** Steps of threads that are remembered here, so that their next requests need not be read whole; 0: none. */
  readonly rememberedSteps: number;
  /** Undefined: nobody judges how near the goal is. */
  readonly judge: JudgeEndpoint | undefined;
}

/** The guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp({ judge, rememberedSteps, ...settings }: GuardSettings): Hono {
  const guarding: Guarding = {
    ...settings,
    ...remembering(rememberedSteps, settings),
    log: harmlessLog(settings.log),
    meter: harmlessMeter(settings.meter),
    unpriced: new Set(),
    underWay: underWay(),
    judging: judging(judge),
  };
  const app = new Hono();
  app.all("*", (context) => guarding.transport.accept(context, (exchange) => guard(exchange, guarding)));
  return app;
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
