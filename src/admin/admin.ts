import { type Context, Hono } from "hono";
import { timingSafeEqual } from "hono/utils/buffer";

export interface AdminOptions {
  /** Whether new exchanges are welcome; not while the server drains. */
  readonly ready: () => boolean;
  /** In the Prometheus text format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** Asked for as a bearer token, health excepted. */
  readonly token: string | undefined;
  /** Without a token everything is open; only for a server that listens on loopback. */
  readonly open: boolean;
}

/** What operators and orchestrators ask, to be mounted under `/unloop`. */
export function adminApp({ ready, metrics, token, open }: AdminOptions): Hono {
  const app = new Hono();
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", (context) =>
    ready() ? context.json({ status: "ready" }) : context.json({ status: "draining" }, 503),
  );
  app.get("/metrics", async (context) => {
    const refusal = await refusalOf(context, token, open);
    if (refusal !== undefined) return refusal;
    const { contentType, text } = await metrics();
    return context.body(text, 200, { "content-type": contentType });
  });
  // Nothing under this path is ever the upstream's.
  app.all("*", (context) => context.json({ error: { code: "not_found", message: "There is nothing here." } }, 404));
  return app;
}

/** Whether a host to listen on is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/i.test(host);
}

async function refusalOf(context: Context, token: string | undefined, open: boolean): Promise<Response | undefined> {
  if (token === undefined && open) return undefined;
  const given = /^bearer +(.*)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  if (token !== undefined && given !== undefined && (await timingSafeEqual(given, token))) return undefined;
  const message =
    token === undefined
      ? "Set UNLOOP_ADMIN_TOKEN to open this to others than this machine."
      : "Send the admin token as authorization: Bearer <token>.";
  return context.json({ error: { code: "not_authorised", message } }, 401);
}
