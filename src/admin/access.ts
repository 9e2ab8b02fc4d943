import { sha256Hex } from "../text/keyed-hash.ts";
import { hostIn, isLoopback } from "../text/loopback.ts";

/** Roles of tokens; each may do what those before it may. `metrics` takes a scrape and nothing else. */
const roles = ["metrics", "read", "operate"] as const;

export type Role = (typeof roles)[number];

/** What was done, or was refused, and by whom. Never a key, a token or a secret's value. */
export interface AuditEntry {
  /** An operation of the admin API that acts (`containSession`), `refused-admin`, `refused-key` or `config`. */
  readonly act: string;
  readonly actor?: string | undefined;
  readonly address?: string | undefined;
  /** `x-forwarded-for` as it came: anybody can write it who reaches the port. */
  readonly forwardedFor?: string | undefined;
  readonly reason?: string | undefined;
  readonly session?: string | undefined;
  readonly changes?: readonly string[] | undefined;
}

/** Gives false where the entry could not be written: an act that leaves no trace must not take hold. */
export type RecordAudit = (entry: AuditEntry) => boolean;

/** A token as it is known: by its SHA-256 alone. */
export interface AdminToken {
  readonly name: string;
  readonly role: Role;
  /** The only tenant that it sees; undefined for all. */
  readonly tenant: string | undefined;
  /** Hexadecimal; undefined where a group stands in its place. */
  readonly sha256: string | undefined;
  /** The people of this group, as an identity proxy tells them, have the token's role. */
  readonly group?: string | undefined;
}

export interface Actor extends Pick<AdminToken, "name" | "role" | "tenant"> {
  /** Without a token, on this machine. */
  readonly isLocal?: true;
}

export interface Sender {
  readonly headers: Headers;
  /** Undefined where the platform does not tell. */
  readonly address: string | undefined;
}

export interface AdminAccess {
  /** Read at each request, since a configuration file may change them. */
  readonly tokens: () => readonly AdminToken[];
  /** Token for acts as long as there are no others, on a server that listens on loopback; without it one may read there. */
  readonly local: AdminToken | undefined;
  /** As `admit`, of people whom an identity proxy tells; undefined where none speaks. */
  readonly identify?: ((sender: Sender, role: Role) => Actor | Refusal | undefined) | undefined;
  readonly audit?: RecordAudit;
}

export interface Refusal extends Readonly<Record<"code" | "message", string>> {
  readonly status: 401 | 403;
  readonly actor?: string | undefined;
}

/** Nobody is known by what was sent; or who is may not do that. */
const unknown = (message: string): Refusal => ({ status: 401, code: "not_authorised", message });
export const forbidden = (message: string, actor?: string): Refusal => ({
  ...{ status: 403, code: "forbidden", message, actor },
});

/** Who a request comes from, and whether it may do what takes this role. A refusal is told to the audit. */
export function admitAudited(sender: Sender, role: Role, access: AdminAccess): Actor | Refusal {
  const actor = access.identify?.(sender, role) ?? admit(sender, role, access);
  if ("message" in actor)
    access.audit?.({ act: "refused-admin", actor: actor.actor, reason: actor.message, ...originOf(sender) });
  return actor;
}

function admit({ headers }: Sender, role: Role, access: AdminAccess): Actor | Refusal {
  const tokens = access.tokens();
  const bearer = /^bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (tokens.length === 0) return admitLocal(headers, role, bearer, access.local);
  if (bearer === undefined) return unknown("Send an admin token as authorization: Bearer <token>.");
  const token = matching(bearer, tokens);
  return token === undefined ? unknown("There is no such admin token.") : permitted(token, role);
}

function permitted({ name, role: own, tenant }: Actor, role: Role): Actor | Refusal {
  if (roles.indexOf(own) >= roles.indexOf(role)) return { name, role: own, tenant };
  return forbidden(`The role of "${name}" is ${own}; this takes the role ${role}.`, name);
}

export function originOf({ headers, address }: Sender): Pick<AuditEntry, "address" | "forwardedFor"> {
  return { address, forwardedFor: headers.get("x-forwarded-for") ?? undefined };
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/** Pages of other sites can have a name resolve here, or send forms. Who has not seen the guard start may read, and not act: an agent could release itself. */
function admitLocal(headers: Headers, role: Role, bearer?: string, local?: AdminToken): Actor | Refusal {
  if (local === undefined) return unknown("Set UNLOOP_ADMIN_TOKEN to open this to others than this machine.");
  if (bearer !== undefined && matching(bearer, [local]) !== undefined) return { ...local };
  const origin = headers.get("origin");
  const isLocal =
    // What has come through a proxy of this machine may have come from anywhere.
    !FORWARDED.some((name) => headers.has(name)) &&
    headers.get("sec-fetch-site") !== "cross-site" &&
    isLoopback(hostIn(headers.get("host") ?? "")) &&
    (origin === null || isLoopback(hostIn(origin.replace(/^https?:\/\//, ""))));
  if (!isLocal)
    return unknown(
      "Without an admin token this answers only to this machine's own names, such as 127.0.0.1; set UNLOOP_ADMIN_TOKEN.",
    );
  if (role !== "operate") return { name: "loopback", role: "read", tenant: undefined, isLocal };
  return unknown(
    "Send the token that was printed at the start as authorization: Bearer <token>, or set UNLOOP_ADMIN_TOKEN.",
  );
}

/** All are compared, each in constant time: how long it takes tells nothing. */
function matching(bearer: string, tokens: readonly AdminToken[]): AdminToken | undefined {
  const hash = sha256Hex(bearer);
  return tokens.filter((token) => areEqual(hash, token.sha256 ?? "")).at(-1);
}

export const tokensIn = ({ adminToken }: { readonly adminToken: string | undefined }): readonly AdminToken[] =>
  adminToken === undefined ? [] : [operatorToken("admin", adminToken)];

export const operatorToken = (name: string, text: string): AdminToken => ({
  ...{ name, role: "operate", tenant: undefined, sha256: sha256Hex(text) },
});

function areEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

const MAX_NAME = 128;

/** People as an identity proxy tells them, by headers that anybody else could write, too. @param isProxy whether one connects from this address */
export function identifyBy(
  isProxy: (address: string) => boolean,
  tokens: AdminAccess["tokens"],
): Required<AdminAccess>["identify"] {
  return ({ headers, address }, role) => {
    const user = (headers.get("x-forwarded-email") || headers.get("x-forwarded-user"))?.slice(0, MAX_NAME);
    const hasToken = /^bearer /i.test(headers.get("authorization") ?? "");
    if (!user || hasToken || address === undefined || !isProxy(address)) return undefined;
    if (isFromAnotherSite(headers)) return forbidden("Another site asks in a person's name.", user);
    const groups = (headers.get("x-forwarded-groups") ?? "").split(",").map((group) => group.trim());
    const entry = tokens().find(({ group }) => group !== undefined && groups.includes(group));
    if (entry === undefined) return forbidden(`"${user}" is in none of the groups that admin.tokens names.`, user);
    return permitted({ ...entry, name: user }, role);
  };
}

/** The proxy knows people by a cookie, which their browser sends for pages of other sites, too. */
function isFromAnotherSite(headers: Headers): boolean {
  const host = headers.get("x-forwarded-host") ?? headers.get("host");
  const origin = headers.get("origin")?.replace(/^https?:\/\//, "") ?? host;
  return origin !== host || !["none", "same-origin"].includes(headers.get("sec-fetch-site") ?? "none");
}
