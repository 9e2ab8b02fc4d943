import type { Path, Problem } from "../shapes/shapes.ts";
import type { Configured } from "./configured.ts";
import type { ConfigFileText } from "./schema.ts";

/** What a configuration keeps closed: who is let in, who may look in, and where requests go. */
export type Closed = Pick<Configured, "clients" | "tokens" | "upstreams">;

/**
 * What a file that is read again would open without a word, compared with what is in force. A file that was emptied, cut, or
 * read while it was being written leaves things out; one that is to open them says so.
 */
export function openings(
  { clients, admin, upstreams }: ConfigFileText,
  tokens: Configured["tokens"],
  before: Closed,
): readonly Problem[] {
  return [
    ...leftOut(["clients"], "client keys", "clients: []", clients, before.clients.length),
    ...leftOut(["admin", "tokens"], "admin tokens", "tokens: []", admin?.tokens, before.tokens.length),
    ...leftOut(["upstreams"], "upstreams", "upstreams: {}", upstreams, Object.keys(before.upstreams).length),
    ...tokens.flatMap((token, i) =>
      admin?.tokens?.[i]?.tenant === undefined && isLimited(token, before.tokens)
        ? [
            {
              path: ["admin", "tokens", i, "tenant"],
              problem: 'is missing, and the token is limited to one; write `tenant: "*"` to open all to it.',
            },
          ]
        : [],
    ),
  ];
}

function leftOut(path: Path, what: string, none: string, list: object | undefined, inForce: number) {
  if (list !== undefined || inForce === 0) return [];
  return [{ path, problem: `is missing, and ${what} are in force; write \`${none}\` if there are to be none.` }];
}

/** By its name or by its secret: either may be changed while the other stays. */
function isLimited(token: Configured["tokens"][number], before: Configured["tokens"]): boolean {
  const isSame = (one: typeof token) => one.sha256 === token.sha256 && one.group === token.group;
  return before.some((one) => (one.name === token.name || isSame(one)) && one.tenant !== undefined);
}
