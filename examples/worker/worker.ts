/**
 * Unloop inside a Worker of yours: a path is the guard, with its settings and objects among your Worker's bindings.
 *
 *   npx wrangler deploy examples/worker/worker.ts --config wrangler.toml
 */
import guard from "unloop/worker";

// Your `wrangler.toml` binds them and lists them in a migration, as the one of this repository does.
export { DirectoryObject, JournalObject, ThreadObject } from "unloop/worker";

type Guarded = Parameters<typeof guard.fetch>;

export default {
  fetch(request: Request, bindings: Guarded[1], context: Guarded[2]): Response | Promise<Response> {
    const url = new URL(request.url);
    if (!url.pathname.startsWith("/llm/")) return new Response("Agents use /llm/v1 as their base URL.");
    url.pathname = url.pathname.slice("/llm".length);
    return guard.fetch(new Request(url, request), bindings, context);
  },
};
