import type { Context } from "hono";
import { type AdminAccess, originOf, permitted, type Refusal } from "./access.ts";

/** Characters of a person's name that are kept. */
const MAX_NAME = 128;

/**
 * People as an identity proxy tells them, by headers that anybody else could write, too. Somebody who sends a token counts by that
 * token.
 * @param isProxy whether such a proxy connects from this address
 */
export function identifyBy(
  isProxy: (address: string) => boolean,
  tokens: AdminAccess["tokens"],
): Required<AdminAccess>["identify"] {
  return (context, role) => {
    const header = (name: string) => context.req.header(name);
    const user = (header("x-forwarded-email") || header("x-forwarded-user"))?.slice(0, MAX_NAME);
    const { address } = originOf(context);
    const hasToken = /^bearer /i.test(header("authorization") ?? "");
    if (!user || hasToken || address === undefined || !isProxy(address)) return undefined;
    if (isFromAnotherSite(context)) return refused(user, "Another site asks in a person's name.");
    const groups = (header("x-forwarded-groups") ?? "").split(",").map((group) => group.trim());
    const entry = tokens().find(({ group }) => group !== undefined && groups.includes(group));
    if (entry === undefined) return refused(user, `"${user}" is in none of the groups that admin.tokens names.`);
    return permitted({ ...entry, name: user }, role);
  };
}

/** The proxy knows people by a cookie, which their browser sends for pages of other sites, too. */
function isFromAnotherSite({ req }: Context): boolean {
  const host = req.header("x-forwarded-host") ?? req.header("host");
  const origin = req.header("origin")?.replace(/^https?:\/\//, "") ?? host;
  return origin !== host || !["none", "same-origin"].includes(req.header("sec-fetch-site") ?? "none");
}

function refused(actor: string, message: string): Refusal {
  return { status: 403, code: "forbidden", actor, message };
}
