import type { Context } from "hono";
import { sha256Hex } from "../text/keyed-hash.ts";
import { hostIn, isLoopback } from "../text/loopback.ts";
import type { AuditEntry, RecordAudit } from "./audit-entry.ts";
import { type Role, roles } from "./api/operations.ts";

/** A token as it is known: by its SHA-256 alone. */
export interface AdminToken {
  /** Stands in the journal as the actor. */
  readonly name: string;
  readonly role: Role;
  /** The only tenant that it sees; undefined for all. */
  readonly tenant: string | undefined;
  /** Hexadecimal; undefined where a group stands in its place. */
  readonly sha256: string | undefined;
  /** The people of this group, as an identity proxy tells them, have the token's role. */
  readonly group?: string | undefined;
}

/** Who asks. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
  readonly tenant: string | undefined;
  /** Without a token, on this machine. */
  readonly isLocal?: true;
}

export interface AdminAccess {
  /** Read at each request, since a configuration file may change them. */
  readonly tokens: () => readonly AdminToken[];
  /** Token for acts as long as there are no others, on a server that listens on loopback; without it one may read there. */
  readonly local: AdminToken | undefined;
  /** As `admit`, of people whom an identity proxy tells; undefined where none speaks. */
  readonly identify?: ((context: Context, role: Role) => Actor | Refusal | undefined) | undefined;
  /** Told of acts and refusals; undefined where nobody keeps them. */
  readonly audit?: RecordAudit;
}

export type Refusal = {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
  readonly actor?: string;
};

/** Who a request comes from, and whether it may do what takes this role. */
export function admit(
  { headers }: Pick<Request, "headers">,
  role: Role,
  { tokens, local }: AdminAccess,
): Actor | Refusal {
  const adminTokens = tokens();
  const bearer = /^bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (adminTokens.length === 0)
    return local === undefined ? refused(NO_TOKENS) : admitLocal(headers, role, bearer, local);
  const adminToken = bearer === undefined ? undefined : matching(bearer, adminTokens);
  if (adminToken === undefined)
    return refused(
      bearer === undefined ? "Send an admin token as authorization: Bearer <token>." : "There is no such admin token.",
    );
  return permitted(adminToken, role);
}

/** An actor of whom it is known who it is, as far as its role goes. */
export function permitted({ name, role: own, tenant }: Actor, role: Role): Actor | Refusal {
  if (roles.indexOf(own) >= roles.indexOf(role)) return { name, role: own, tenant };
  const message = `The role of "${name}" is ${own}; this takes the role ${role}.`;
  return { status: 403, code: "forbidden", actor: name, message };
}

/** Where a request comes from, for the audit. */
export function originOf({ req, env }: Context): Pick<AuditEntry, "address" | "forwardedFor"> {
  return { address: env?.incoming?.socket?.remoteAddress, forwardedFor: req.header("x-forwarded-for") };
}

/** As `admit`; a refusal is told to the audit. */
export function admitAudited(context: Context, role: Role, access: AdminAccess): Actor | Refusal {
  const actor = access.identify?.(context, role) ?? admit(context.req.raw, role, access);
  if ("message" in actor)
    access.audit?.({ act: "refused-admin", actor: actor.actor, reason: actor.message, ...originOf(context) });
  return actor;
}

/** Data of all tenants is refused to a token that is limited to one tenant. */
export function limitedTo({ name, tenant }: Actor): Refusal {
  return { status: 403, code: "forbidden", message: `The token "${name}" is limited to the tenant ${tenant}.` };
}

const NO_TOKENS = "Set UNLOOP_ADMIN_TOKEN to open this to others than this machine.";

/**
 * Loopback reaches browsers, too: a page of another site can have its own name resolve to this machine, or send forms
 * here. Neither can say that it asked for localhost itself. Every process of this machine may read, and only who has seen the guard
 * start may act: an agent could else release itself, or end another one's run.
 */
function admitLocal(headers: Headers, role: Role, bearer: string | undefined, local: AdminToken): Actor | Refusal {
  if (bearer !== undefined && matching(bearer, [local]) !== undefined) return { ...local };
  const origin = headers.get("origin");
  // What has come through a proxy of this machine may have come from anywhere.
  const isForwarded = FORWARDED.some((name) => headers.has(name));
  const isLocal =
    !isForwarded &&
    headers.get("sec-fetch-site") !== "cross-site" &&
    isLoopback(hostIn(headers.get("host") ?? "")) &&
    (origin === null || isLoopback(hostIn(origin.replace(/^https?:\/\//, ""))));
  if (!isLocal)
    return refused(
      "Without an admin token this answers only to this machine's own names, such as 127.0.0.1; set UNLOOP_ADMIN_TOKEN.",
    );
  if (role !== "operate") return { name: "loopback", role: "read", tenant: undefined, isLocal };
  return refused(
    "Send the token that was printed at the start as authorization: Bearer <token>, or set UNLOOP_ADMIN_TOKEN.",
  );
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

function refused(message: string): Refusal {
  return { status: 401, code: "not_authorised", message };
}

/** All are compared, each in constant time: how long it takes tells nothing. */
function matching(bearer: string, tokens: readonly AdminToken[]): AdminToken | undefined {
  const hash = sha256Hex(bearer);
  let adminToken: AdminToken | undefined;
  for (const token of tokens) if (areEqual(hash, token.sha256 ?? "")) adminToken = token;
  return adminToken;
}

/** The token of a setting, which may do everything. */
export function tokensIn({ adminToken }: { readonly adminToken: string | undefined }): readonly AdminToken[] {
  return adminToken === undefined ? [] : [operatorToken("admin", adminToken)];
}

export function operatorToken(name: string, text: string): AdminToken {
  return { name, role: "operate", tenant: undefined, sha256: sha256Hex(text) };
}

function areEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
