import { Hono } from "hono";
import { type Guarding, guard, harmlessLog, harmlessMeter } from "./guard.ts";

export { type Guarding, harmless, harmlessLog } from "./guard.ts";
export type { Log } from "./log.ts";
export { type Meter, noMeter } from "./meter.ts";

/** The guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(settings: Guarding): Hono {
  const guarding: Guarding = { ...settings, log: harmlessLog(settings.log), meter: harmlessMeter(settings.meter) };
  const app = new Hono();
  app.all("*", (context) => guarding.transport.accept(context, (exchange) => guard(exchange, guarding)));
  return app;
}
