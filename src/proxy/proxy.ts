import { Hono } from "hono";
import { withDeadline } from "./deadline.ts";
import { type Guarding, guard, harmlessLog } from "./guard.ts";

export type { Guarding } from "./guard.ts";
export type { Log } from "./log.ts";

export interface GuardSettings extends Guarding {
  /** A store that takes longer counts as failed. */
  readonly storeTimeoutMs: number;
}

/** The guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(settings: GuardSettings): Hono {
  const guarding: Guarding = {
    ...settings,
    store: withDeadline(settings.store, settings.storeTimeoutMs),
    log: harmlessLog(settings.log),
  };
  const app = new Hono();
  app.all("*", (context) => guarding.transport.accept(context, (exchange) => guard(exchange, guarding)));
  return app;
}
