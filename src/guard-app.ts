import { Hono } from "hono/tiny";
import type { Guard } from "./proxy/proxy.ts";
import type { Transport } from "./transport/transport.ts";

/** A guard as a Hono app, to serve alone or to mount under any path. In a file of its own, so that nobody bundles Hono who takes a policy alone. */
export function guardApp(guard: Guard, transport: Transport): Hono {
  return new Hono().all("*", (context) => transport.accept(context, guard));
}
