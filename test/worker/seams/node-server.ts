import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Hono } from "hono";
import { openHost } from "./network.ts";

/** Stands where the stories ask for a server: the app is a host of the isolate's own network. */
export async function listen(app: Hono) {
  const { url, close } = openHost(async (request) => app.fetch(request, env, createExecutionContext()));
  return { url, drain: async () => close() };
}
