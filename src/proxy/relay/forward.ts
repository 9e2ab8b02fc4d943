import { type ClientKey, withUpstreamKey } from "../http/clients.ts";
import { UnloopError } from "../../errors.ts";
import type { AnswerSink, Exchange, Fields, Signal, Transport, UpstreamRequest } from "../../transport/transport.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";

interface Asked {
  readonly target: string;
  readonly wire: string | undefined;
  readonly header: (name: string) => string | undefined;
}

/** Which base URL a request goes to: the operator's upstreams by path, and never a host that a client names. */
export interface Routes {
  /** By a prefix such as `/groq`, which is taken off; the longest that fits counts. */
  readonly byPrefix: readonly { readonly prefix: string; readonly upstream: URL }[];
  readonly otherwise: URL;
  /** For requests under no prefix that say whose API they are for. */
  readonly makerOf?: (asked: Asked) => URL | undefined;
}

/** As the operator configures them. */
export interface Upstreams {
  /** The one upstream for all wire formats. */
  readonly upstream?: URL | undefined;
  /** By the beginning of the path; `/` is for all other paths. */
  readonly upstreams?: Readonly<Record<string, URL>> | undefined;
}

const OPENAI = new URL("https://api.openai.com");
const ANTHROPIC = new URL("https://api.anthropic.com");
const OLLAMA = new URL("http://127.0.0.1:11434");
const GOOGLE = new URL("https://generativelanguage.googleapis.com");

const MAKERS: Routes["byPrefix"] = [
  { prefix: "/openai", upstream: OPENAI },
  { prefix: "/anthropic", upstream: ANTHROPIC },
  { prefix: "/gemini", upstream: GOOGLE },
];

/** Without a word from the operator each wire format goes to its maker's API. */
export function routesFor({ upstream, upstreams = {} }: Upstreams): Routes {
  const { "/": otherwise = upstream, ...prefixed } = upstreams;
  const named = Object.entries(prefixed).map(([prefix, to]) => ({ prefix: withoutEndSlashes(prefix), upstream: to }));
  const byPrefix = named.sort((one, other) => other.prefix.length - one.prefix.length);
  if (otherwise !== undefined) return { byPrefix, otherwise };
  return { byPrefix: [...byPrefix, ...MAKERS], otherwise: OPENAI, makerOf };
}

const VERTEX = /^\/(?:v\d\w*\/)?(?:projects\/[^/?]+\/locations\/([a-z][a-z\d-]{0,39})\/)?publishers\//;

/** What clients ask beside chats. Nothing that loads, changes or deletes a model: an operator has to name the server for that. */
const OLLAMA_PATHS = /^\/api\/(?:generate|embed|embeddings|show|tags|ps|version)(?:\?|$)/;

function makerOf({ target, wire, header }: Asked): URL | undefined {
  // Google's host for the region that the path names. With a key in the place of a project it names none.
  const [isVertex, region = "global"] = VERTEX.exec(target) ?? [];
  if (isVertex && (region === "us" || region === "eu"))
    return new URL(`https://aiplatform.${region}.rep.googleapis.com`);
  if (isVertex) return new URL(`https://${region === "global" ? "" : `${region}-`}aiplatform.googleapis.com`);
  if (wire === "ollama" || OLLAMA_PATHS.test(target)) return OLLAMA;
  // What is not guarded says by a header whose API it is for.
  const has = (name: string) => wire === undefined && header(name) !== undefined;
  if (wire === "messages" || has("anthropic-version")) return ANTHROPIC;
  return wire === "gemini" || has("x-goog-api-key") || has("x-goog-api-client") ? GOOGLE : undefined;
}

/** The upstream of a request, and the target that it is sent there. */
export function routeOf({ byPrefix, makerOf, otherwise }: Routes, asked: Asked): { upstream: URL; target: string } {
  const { target } = asked;
  const led = target.replace(/^\/{2,}/, "/");
  for (const { prefix, upstream } of byPrefix) {
    const rest = led.slice(prefix.length);
    if (led.startsWith(prefix) && /^([/?]|$)/.test(rest))
      return { upstream, target: rest.startsWith("/") ? rest : `/${rest}` };
  }
  return { upstream: makerOf?.(asked) ?? otherwise, target };
}

/** A dot segment as any server behind may read one: encoded, encoded twice, or with parameters behind it. */
const CLIMBS = /(^|[\\/]|%2f|%5c)(\.|%2e){1,2}([\\/;]|%2f|%5c|%3b|$)/i;
const ENCODED_PERCENT = /%(?:25)+/g;

/** A base with a version of its own: `/v1`, `/api/paas/v4`, `/v1beta/openai`. */
const VERSIONED = /\/(v\d[\w.]*)(?:\/(?:[^/]+\/)*(?:openai|openapi|compat))?$/;

/** The version in front of a target that a base's own takes the place of: agents say `/v1`, whatever they ask. */
function replacedVersion(prefix: string, target: string): string {
  const own = VERSIONED.exec(prefix)?.[1];
  const [said = "", version] = /^\/+(v\d[\w.]*)(?=\/|$)/.exec(target) ?? [];
  return own !== undefined && (version === own || version === "v1") ? said : "";
}

/**
 * Where a target goes: the base's origin, and the base's path before the target's, with the base's version where both have one.
 * The target is kept verbatim and can neither change the host nor leave the base's path.
 * @throws UnloopError `bad_target`
 */
export function joinUpstream(base: URL, target: string): { origin: string; path: string } {
  const pathLength = target.search(/[?#]|$/);
  const targetPath = target.slice(0, pathLength);
  // A backslash is a slash to some parsers, and what is encoded the same as what is not.
  const climbs = CLIMBS.test(targetPath.replace(ENCODED_PERCENT, "%"));
  if (!target.startsWith("/") || target.includes("#") || climbs || /[^\x21-\xff]|\x7f/.test(target)) {
    throw new UnloopError("bad_target", "The request target is not a plain path.");
  }
  const prefix = withoutEndSlashes(base.pathname);
  const rest = targetPath.slice(replacedVersion(prefix, targetPath).length);
  return { origin: base.origin, path: (prefix + rest || "/") + target.slice(pathLength) };
}

/** A redirect of the upstream, as it leads its client to the same place through the guard; with the upstream's origin where that has no path for it. */
export function redirectBehind(
  location: string,
  base: URL,
  { target, mount = "" }: Pick<Exchange, "target" | "mount">,
): string {
  const asked = new URL(joinUpstream(base, target).path, base.origin);
  const isRelative = !/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(location);
  if (isRelative || !URL.canParse(location, asked)) return location;
  const to = new URL(location, asked);
  const isElsewhere = to.hostname !== asked.hostname || to.port !== asked.port || !/^https?:$/.test(to.protocol);
  // The same by another scheme: through the guard it would lead here again.
  const isUpgrade = to.protocol !== asked.protocol && to.pathname + to.search === asked.pathname + asked.search;
  if (isElsewhere || isUpgrade) return location;
  const prefix = withoutEndSlashes(base.pathname);
  if (!`${to.pathname}/`.startsWith(`${prefix}/`)) return to.href;
  const version = replacedVersion(prefix, target.split("?", 1)[0] ?? "");
  return mount + version + to.pathname.slice(prefix.length) + to.search + to.hash;
}

export interface Destination {
  readonly transport: Transport;
  readonly upstream: URL;
  readonly client?: ClientKey | undefined;
}

export interface Forwarding extends Destination, Pick<UpstreamRequest, "sent"> {
  /** Sent in place of the client's body; necessary once that has been read. */
  readonly body?: UpstreamRequest["body"];
  /** Where the answer goes, if not straight to the client. */
  readonly answer?: AnswerSink;
  /** Ask for an answer that can be read: one without a content coding. */
  readonly readable?: boolean;
  /** Ends the upstream request, in place of the client's leaving alone. */
  readonly signal?: Signal;
}

/**
 * Passes an exchange on to the upstream and its answer back; changes nothing but what a proxy must. @throws UnloopError when no answer
 * ever began: `upstream_unreachable`, `upstream_timeout`, `client_gone`, `bad_target`, `upgrade_unsupported`
 */
export async function forward(exchange: Exchange, forwarding: Forwarding): Promise<void> {
  const { transport, upstream, body, answer = exchange.answer, signal = exchange.gone } = forwarding;
  const upgrade = wantsWebSocket(exchange) ? ("websocket" as const) : undefined;
  if (upgrade !== undefined && answer.tunnel === undefined)
    throw new UnloopError("upgrade_unsupported", "There is no way, or no more room, for WebSockets here.");
  const { origin, path } = joinUpstream(upstream, exchange.target);
  const { client, readable = false, sent } = forwarding;
  const fields = client === undefined ? exchange.fields : withUpstreamKey(exchange.fields, client);
  // With both, transfer-encoding is what counts (RFC 9112 6.3); a length that says something else must not get through.
  const isLengthWrong = body instanceof Uint8Array || fields["transfer-encoding"] !== undefined;
  const kept = withoutHopByHop(fields, isLengthWrong ? NOT_SENT_NOR_LENGTH : NOT_SENT, "x-unloop-");
  if (readable) kept["accept-encoding"] = "identity";
  const { method } = exchange;
  const request = { origin, path, method, fields: kept, body: body ?? exchange.stream(), signal, sent, upgrade };
  await transport.send(request, {
    head(status, fields) {
      const passed = withoutHopByHop(fields, NOT_ANSWERED);
      if (typeof passed.location === "string" && status >= 201 && status < 400)
        passed.location = redirectBehind(passed.location, upstream, exchange);
      answer.head(status, passed);
    },
    write: (bytes) => answer.write(bytes),
    end: () => answer.end(),
    fail: (reason) => answer.fail(reason),
    tunnel: (fields, socket) => answer.tunnel?.(withoutHopByHop(fields, NOT_ANSWERED), socket),
  });
}

// RFC 9110 7.6.1, and what else concerns one connection only; and a name that would be no field here.
const NOT_ANSWERED = new Set([
  ...["__proto__", "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);
// `expect` is answered by our own server, `host` is the upstream's.
const NOT_SENT = new Set([...NOT_ANSWERED, "host", "expect", "http2-settings"]);
const NOT_SENT_NOR_LENGTH = new Set([...NOT_SENT, "content-length"]);

function withoutHopByHop(
  fields: Fields,
  dropped: ReadonlySet<string>,
  prefix?: string,
): Record<string, Fields[string]> {
  const named = new Set(
    String(fields.connection ?? "")
      .toLowerCase()
      .split(/[\s,]+/),
  );
  const headers: Record<string, Fields[string]> = {};
  for (const name of Object.keys(fields)) {
    if (dropped.has(name) || named.has(name) || (prefix !== undefined && name.startsWith(prefix))) continue;
    headers[name] = fields[name];
  }
  return headers;
}

// Other upgrades are offers that a server may pass over (h2c, which Java's client makes by default); this one is a demand, of GET alone.
export function wantsWebSocket({ method, fields: { upgrade, connection }, answer }: Exchange): boolean {
  if (method !== "GET" || upgrade === undefined || !/\bwebsocket\b/i.test(String(upgrade))) return false;
  // The field alone is none: a proxy in front may have let it through.
  return answer.tunnel !== undefined || /\bupgrade\b/i.test(String(connection));
}
