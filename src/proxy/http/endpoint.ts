import type { Choice } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import { type ContextChoice, fieldOf, type RequestContext, requestContext } from "../../evaluation/evaluation.ts";
import { protocolFor } from "../../protocols/protocols.ts";
import type { GuardContext } from "../guard-context.ts";
import { clientOf } from "./clients.ts";
import { type Destination, wantsWebSocket } from "../relay/forward.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { type Exchange, mountOf } from "../../transport/transport.ts";

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
  const protocol = protocolFor(incoming.method, path);
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

/**
 * Treatment of a request by the operator's rules: where it goes, and what it is evaluated with; without a context it passes through.
 * @throws UnloopError `upgrade_required`, `client_key_refused`, `rate_limited`, `model_refused`, `unreadable`
 */
export function treatmentOf(
  { exchange, path, protocol, upstream }: RequestEndpoint,
  guard: GuardContext,
): { readonly destination: Destination; readonly context: RequestContext | undefined } {
  const { rules } = guard.configuration;
  const header = (name: string) => fieldOf(exchange, name);
  const client = clientOf(exchange, guard.configuration);
  if (client !== undefined) guard.clientUse.take(client);
  // At once and for good: at any other status agents knock again and again before they turn to HTTP.
  if (wantsWebSocket(exchange.fields) && protocolFor("POST", path) !== undefined)
    throw new UnloopError("upgrade_required", "This API is guarded only over HTTP.");
  const destination = { transport: guard.transport, upstream, client };
  if (protocol === undefined) {
    if (client?.models !== undefined && exchange.method !== "GET")
      throw new UnloopError("model_refused", "What this client key asks cannot be told here.");
    if (guard.services.unreadable === "refuse" && isOtherSpelling(exchange.method, path))
      throw new UnloopError("unreadable", "The path is an unusual spelling of a guarded one.");
    return { destination, context: undefined };
  }
  const choice = rules.choose({ path, header, tenant: client?.tenant, client: client?.name });
  const context = requestContext(guard.services, { choice, client, protocol, override: overrideOf(exchange, guard) });
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

const FORM = /^\/+session\/+([^/?#]+)(?=\/)/;

/** `/session/<id>/v1/…`: an id in the base URL, as it stands there, needs no support by the client at all. */
function sessionInPath(target: string): { readonly target: string; readonly session: string | undefined } {
  const match = FORM.exec(target);
  return match === null ? { target, session: undefined } : { target: target.slice(match[0].length), session: match[1] };
}

/** They bring no conversation. */
const READING = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/**
 * Whether a request that no guarded API is asked with could be taken for one by the upstream: servers differ in what they make
 * of case, escapes, doubled slashes, parameters of a segment and other methods.
 */
function isOtherSpelling(method: string, path: string): boolean {
  if (READING.has(method)) return false;
  return protocolFor("POST", plainPath(path)) !== undefined;
}

function plainPath(path: string): string {
  const segments = decoded(decoded(path)).toLowerCase().replaceAll("\\", "/").split("/");
  const named = segments.map((segment) => (segment.split(";", 1)[0] ?? "").trim());
  return `/${named.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Where requests go whose path begins in one way. */
export interface Route {
  /** `/groq`, say: taken off before the path is put behind that of the upstream. */
  readonly prefix: string;
  /** A base URL, with or without its version. */
  readonly upstream: URL;
}

/** Route table: which upstream a request goes to. Clients choose among the operator's upstreams by path, and never a host. */
export interface Routes {
  /** The longest prefix that fits counts. */
  readonly byPrefix: readonly Route[];
  /** For paths under none of them that say whose they are. The first that knows a path counts. */
  readonly byPath: readonly ((target: string) => URL | undefined)[];
  /** For all others, by the name of the wire format. */
  readonly byWire: Readonly<Record<string, URL>>;
  /** For every other path. */
  readonly otherwise: URL;
}

/** Upstreams as the operator configures them. */
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

/** Default upstreams: each wire format goes to its maker's API. */
export function routesFor({ upstream, upstreams = {} }: Upstreams): Routes {
  const { "/": others = upstream, ...prefixed } = upstreams;
  const named = Object.entries(prefixed).map(([prefix, to]) => ({ prefix: withoutEndSlashes(prefix), upstream: to }));
  const byPrefix = named.sort((one, other) => other.prefix.length - one.prefix.length);
  if (others !== undefined) return { byPrefix, byPath: [], byWire: {}, otherwise: others };
  return {
    byPrefix: [...byPrefix, ...MAKERS],
    byPath: [vertexOf, ollamaOf],
    byWire: { messages: ANTHROPIC, gemini: GOOGLE, ollama: OLLAMA },
    otherwise: OPENAI,
  };
}

const VERTEX = /^\/(?:v\d\w*\/)?(?:projects\/[^/?]+\/locations\/([a-z][a-z\d-]{0,39})\/)?publishers\//;

/** Google's host for the region that the path names. With a key in the place of a project it names none. */
function vertexOf(target: string): URL | undefined {
  const found = VERTEX.exec(target);
  if (found === null) return undefined;
  const [, region = "global"] = found;
  if (region === "us" || region === "eu") return new URL(`https://aiplatform.${region}.rep.googleapis.com`);
  return new URL(`https://${region === "global" ? "" : `${region}-`}aiplatform.googleapis.com`);
}

/** What clients ask beside chats. Nothing that loads, changes or deletes a model: an operator has to name the server for that. */
const OLLAMA_PATHS = /^\/api\/(?:generate|embed|embeddings|show|tags|ps|version)(?:\?|$)/;

function ollamaOf(target: string): URL | undefined {
  return OLLAMA_PATHS.test(target) ? OLLAMA : undefined;
}

const MAKERS: readonly Route[] = [
  { prefix: "/openai", upstream: OPENAI },
  { prefix: "/anthropic", upstream: ANTHROPIC },
  { prefix: "/gemini", upstream: GOOGLE },
];

/** What is not guarded says by a header whose API it is for. */
const HEADERS: readonly (readonly [header: string, wire: string])[] = [
  ["anthropic-version", "messages"],
  ["x-goog-api-key", "gemini"],
  ["x-goog-api-client", "gemini"],
];

/** Facts of a request that decide its route: its path and query, and the guarded format that it is in, if any. */
interface Routed {
  readonly target: string;
  readonly wire: string | undefined;
  readonly header: (name: string) => string | undefined;
}

/** The upstream of a request, and the target that it is sent there. */
export function routeOf(
  { byPrefix, byPath, byWire, otherwise }: Routes,
  { target, wire, header }: Routed,
): { readonly upstream: URL; readonly target: string } {
  const led = target.replace(/^\/{2,}/, "/");
  const route = byPrefix.find(({ prefix }) => isUnder(led, prefix));
  if (route !== undefined) return { upstream: route.upstream, target: withoutPrefix(led, route.prefix) };
  for (const ofMaker of byPath) {
    const upstream = ofMaker(target);
    if (upstream !== undefined) return { upstream, target };
  }
  const format = wire ?? HEADERS.find(([name]) => header(name) !== undefined)?.[1];
  const own = format !== undefined && Object.hasOwn(byWire, format) ? byWire[format] : undefined;
  return { upstream: own ?? otherwise, target };
}

function isUnder(target: string, prefix: string): boolean {
  return target.startsWith(prefix) && /^([/?]|$)/.test(target.slice(prefix.length, prefix.length + 1));
}

function withoutPrefix(target: string, prefix: string): string {
  const rest = target.slice(prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
