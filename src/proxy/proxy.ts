import { Hono } from "hono/tiny";
import { guard, harmlessLog, harmlessMeter } from "./guard.ts";
import type { Guarding } from "./guarding.ts";
import { underWay } from "./under-way.ts";

export { harmless, harmlessLog } from "./guard.ts";
export type { Guarding } from "./guarding.ts";
export type { Log } from "./log.ts";
export { type Meter, noMeter } from "./meter.ts";

/** The guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(settings: Omit<Guarding, "unpriced" | "underWay">): Hono {
  const guarding: Guarding = {
    ...settings,
    log: harmlessLog(settings.log),
    meter: harmlessMeter(settings.meter),
    unpriced: new Set(),
    underWay: underWay(),
  };
  const app = new Hono();
  app.all("*", (context) => guarding.transport.accept(context, (exchange) => guard(exchange, guarding)));
  return app;
}
