import type { Context } from "hono";
import { baseRoutePath } from "hono/route";

/**
 * The path and query behind the mount point of the app that `context` belongs to.
 * `requested` is the request target in origin form or absolute form; its authority is ignored.
 */
export function targetBehindMount(context: Context, requested: string): string {
  return withoutSegments(originForm(requested), segmentsOf(baseRoutePath(context)));
}

export function originForm(requested: string): string {
  if (requested.startsWith("/")) return requested;
  const target = requested.replace(/^https?:\/\/[^/?#]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

function segmentsOf(path: string): number {
  return path.split("/").filter((segment) => segment !== "").length;
}

// Counted, not compared: the router matches the decoded path, but the target stays as it came, `%6Clm` for `llm`.
function withoutSegments(target: string, count: number): string {
  let rest = target;
  for (let i = 0; i < count; i += 1) rest = rest.replace(/^\/[^/?#]*/, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** What stands in front of a target in the URL that it was taken from. */
export function mountOf(requested: string, target: string): string {
  if (requested.endsWith(target)) return requested.slice(0, requested.length - target.length);
  return requested.split("?", 1)[0] ?? "";
}
