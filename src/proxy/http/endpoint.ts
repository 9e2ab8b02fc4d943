import type { Choice } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import { type ContextChoice, fieldOf, type RequestContext } from "../../evaluation/evaluation.ts";
import { protocolFor } from "../../protocols/protocols.ts";
import { type Exchange, mountOf } from "../../transport/transport.ts";
import type { GuardContext } from "../guard-context.ts";
import { type Destination, wantsWebSocket } from "../relay/forward.ts";
import { clientOf, upstreamKeyOf } from "./clients.ts";
import { routeOf } from "./routes.ts";

/** Endpoints that models are asked at and that are not guarded, by the path without its query. */
const PASSING: readonly (readonly [name: string, path: RegExp])[] = [
  ["completions", /(^|\/)(?<!chat\/)completions$/],
  ["assistants", /(^|\/)threads(\/[^/]+)?\/runs$/],
  ["cohere-chat", /(^|\/)v[12]\/chat$/],
  ["bedrock", /(^|\/)model\/[^/]+\/(converse|invoke)(-stream|-with-response-stream)?$/],
  ["generate-content", /:(generate|streamGenerate)Content$/],
  ["interactions", /(^|\/)interactions$/],
  ["raw-predict", /\/models\/(?!count-tokens:)[^/]+:(rawPredict|streamRawPredict)$/],
  ["ollama-generate", /(^|\/)api\/generate$/],
];

/** What a request that is not guarded counts as: few values, whatever clients ask. `other`: what tells no run, such as models and files. */
export function passingEndpoint({ exchange, path }: Pick<RequestEndpoint, "exchange" | "path">): string {
  if (exchange.method !== "POST") return "other";
  return PASSING.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

/** RequestEndpoint of a request: what its URL and its wire format say. */
export interface RequestEndpoint {
  /** Target to send upstream. */
  readonly exchange: Exchange;
  /** The same without doubled slashes and one at the end of its path, as servers read it. */
  readonly target: string;
  /** Its path, without what names a session. */
  readonly path: string;
  /** The session that its URL names. */
  readonly pathSession: string | undefined;
  /** Undefined where it is not guarded. */
  readonly protocol: ReturnType<typeof protocolFor>;
  readonly upstream: URL;
}

export function endpointOf(incoming: Exchange, { configuration: { routes } }: GuardContext): RequestEndpoint {
  const { target: addressed, session: pathSession } = sessionInPath(incoming.target);
  const path = withPlainSlashes(addressed).split("?", 1)[0] ?? "";
  const header = (name: string) => fieldOf(incoming, name);
  const protocol = protocolFor({ method: incoming.method, path, header });
  const { upstream, target } = routeOf(routes, { target: addressed, wire: protocol?.name, header });
  return {
    exchange: redirected(incoming, target),
    target: withPlainSlashes(target),
    path,
    pathSession,
    protocol,
    upstream,
  };
}

function redirected(incoming: Exchange, target: string): Exchange {
  if (target === incoming.target) return incoming;
  const { mount = "" } = incoming;
  return { ...incoming, target, mount: mount + mountOf(incoming.target, target) };
}

const DOUBLED = /\/{2,}|.\/(?=\?|$)/;

function withPlainSlashes(target: string): string {
  if (!DOUBLED.test(target)) return target;
  const [path = "", ...query] = target.split("?");
  return [path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, ""), ...query].join("?");
}

/** Treatment of a request by the operator's rules: where it goes, and what it is evaluated with. */
export interface Treatment {
  readonly destination: Destination;
  /** Undefined: it passes through. */
  readonly context: RequestContext | undefined;
}

/** @throws UnloopError `upgrade_required`, `client_key_refused`, `rate_limited`, `model_refused`, `unreadable` */
export function treatmentOf({ exchange, path, protocol, upstream }: RequestEndpoint, guard: GuardContext): Treatment {
  const { rules } = guard.configuration;
  const header = (name: string) => fieldOf(exchange, name);
  const client = clientOf(exchange, guard.configuration);
  if (client !== undefined) guard.clientUse.take(client);
  // At once and for good: at any other status agents knock again and again before they turn to HTTP.
  if (wantsWebSocket(exchange.fields) && protocolFor({ method: "POST", path, header }) !== undefined)
    throw new UnloopError("upgrade_required", "This API is guarded only over HTTP.");
  const destination = { transport: guard.transport, upstream, upstreamKey: upstreamKeyOf(client) };
  if (protocol === undefined) {
    if (client?.models !== undefined && exchange.method !== "GET")
      throw new UnloopError("model_refused", "What this client key asks cannot be told here.");
    if (guard.services.unreadable === "refuse" && isOtherSpelling(exchange, path))
      throw new UnloopError("unreadable", "The path is an unusual spelling of a guarded one.");
    return { destination, context: undefined };
  }
  const choice = rules.choose({ path, header, tenant: client?.tenant, client: client?.name });
  const context = guard.contextOf({ choice, client, protocol, override: overrideOf(exchange, guard) });
  return { destination, context: isOff(context, choice) ? undefined : context };
}

/** Where the model decides, that is known once the body is read. */
function isOff({ mode, mayAsk }: RequestContext, choice: Choice): boolean {
  return mode === "off" && mayAsk === undefined && "terms" in choice;
}

/** What the client asks for where it has a say; what it asks for in vain is ignored. */
function overrideOf(exchange: Exchange, { configuration }: GuardContext): NonNullable<ContextChoice["override"]> {
  if (!configuration.allowClientOverrides) return {};
  const modeText = fieldOf(exchange, "x-unloop-mode");
  const mode = modeText === "enforce" || modeText === "observe" || modeText === "off" ? modeText : undefined;
  const named = fieldOf(exchange, "x-unloop-policy");
  return { mode, policy: named === undefined ? undefined : configuration.policyNamed(named) };
}

/** A target as it came, and the session that its path may name. */
interface Addressed {
  /** Path and query for the upstream. */
  readonly target: string;
  /** As it stands in the path, percent-encoding included. */
  readonly session: string | undefined;
}

const FORM = /^\/+session\/+([^/?#]+)(?=\/)/;

/** `/session/<id>/v1/…`: an id in the base URL needs no support by the client at all. */
function sessionInPath(target: string): Addressed {
  const match = FORM.exec(target);
  return match === null ? { target, session: undefined } : { target: target.slice(match[0].length), session: match[1] };
}

/** They bring no conversation. */
const READING = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/**
 * Whether a request that no guarded API is asked with could be taken for one by the upstream: servers differ in what they make
 * of case, escapes, doubled slashes, parameters of a segment and other methods.
 */
function isOtherSpelling(exchange: Pick<Exchange, "method" | "fields">, path: string): boolean {
  if (READING.has(exchange.method)) return false;
  const header = (name: string) => fieldOf(exchange, name);
  return protocolFor({ method: "POST", path: plainPath(path), header }) !== undefined;
}

function plainPath(path: string): string {
  const segments = decoded(decoded(path)).toLowerCase().replaceAll("\\", "/").split("/");
  const named = segments.map((segment) => (segment.split(";", 1)[0] ?? "").trim());
  return `/${named.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
