import { UnloopError } from "../../errors.ts";
import {
  type ContextChoice,
  fieldOf,
  type HeaderMetadata,
  type RequestContext,
  requestContext,
} from "../../evaluation/evaluation.ts";
import { protocolFor } from "../../protocols/protocols.ts";
import type { GuardContext } from "../guard-context.ts";
import { clientOf, PLACES } from "./clients.ts";
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

export function passingEndpoint({ exchange, path }: RequestEndpoint): string {
  if (exchange.method !== "POST") return "other";
  return PASSING.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

export type RequestEndpoint = ReturnType<typeof endpointOf>;

/** `/session/<id>/v1/…`: an id in the base URL, as it stands there, needs no support by the client at all. */
const NAMING_SESSION = /^\/+session\/+([^/?#]+)(?=\/)/;

/** What the URL and the wire format of a request say; without a `protocol` it is not guarded. */
export function endpointOf(incoming: Exchange, { configuration: { routes } }: GuardContext) {
  const [naming = "", pathSession] = NAMING_SESSION.exec(incoming.target) ?? [];
  const addressed = incoming.target.slice(naming.length);
  const path = plainTarget(addressed).split("?", 1)[0] ?? "";
  const header = (name: string) => fieldOf(incoming, name);
  const protocol = protocolFor(incoming.method, path);
  const { upstream, target } = routeOf(routes, { target: addressed, wire: protocol?.name, header });
  const mount = (incoming.mount ?? "") + mountOf(incoming.target, target);
  const exchange = target === incoming.target ? incoming : { ...incoming, target, mount };
  return { exchange, target: plainTarget(target), path, pathSession, protocol, upstream };
}

/** What a request's head says about its run. */
export function headerMetadata(
  { target, fields }: Pick<Exchange, "target" | "fields">,
  pathSession: string | undefined,
  { tenantHeader, sessionNames, placement }: RequestContext,
): HeaderMetadata {
  const [, query] = /\?(.*)/.exec(target) ?? [];
  return {
    ...{ tenantHeader, sessionNames, pathSession, tenant: placement.tenant, headerNames: Object.keys(fields) },
    header: (name) => fieldOf({ fields }, name),
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
  };
}

const ODD = /\/{2,}|.\/(?=\?|$)|%/;
const PLAIN = /[\w.~:@!$&'()*+,;=-]/;

/** As servers read it: slashes merged, and nothing escaped that says the same plainly (`%3AgenerateContent`). */
function plainTarget(target: string): string {
  if (!ODD.test(target)) return target;
  const [path = "", ...query] = target.split("?");
  const merged = path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  const plain = merged.replace(/%[2-7][\da-f]/gi, (escaped) => PLAIN.exec(decoded(escaped))?.[0] ?? escaped);
  return [plain, ...query].join("?");
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
  const client = isPreflight(exchange) ? undefined : clientOf(exchange, guard.configuration);
  if (client !== undefined) guard.clientUse.take(client);
  // At once and for good: at any other status agents knock again and again before they turn to HTTP.
  if (wantsWebSocket(exchange) && protocolFor("POST", path) !== undefined)
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
  // Where the model decides, that is known once the body is read.
  const isOff = context.mode === "off" && context.mayAsk === undefined && "terms" in choice;
  return { destination, context: isOff ? undefined : context };
}

/** What no browser sends when it asks whether a page may send its request: a key, a body, another protocol, another method. */
const NOT_IN_PREFLIGHT = [
  ...PLACES,
  "upgrade",
  "transfer-encoding",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
];

/** Browsers ask so, without any key, whether a page may send the request that it has. */
function isPreflight({ method, fields }: Exchange): boolean {
  return (
    method === "OPTIONS" &&
    fields.origin !== undefined &&
    fields["access-control-request-method"] !== undefined &&
    Number(fields["content-length"] ?? 0) === 0 &&
    NOT_IN_PREFLIGHT.every((name) => fields[name] === undefined)
  );
}

function overrideOf(exchange: Exchange, { configuration }: GuardContext): NonNullable<ContextChoice["override"]> {
  if (!configuration.allowClientOverrides) return {};
  const modeText = fieldOf(exchange, "x-unloop-mode");
  const mode = modeText === "enforce" || modeText === "observe" || modeText === "off" ? modeText : undefined;
  const named = fieldOf(exchange, "x-unloop-policy");
  return { mode, policy: named === undefined ? undefined : configuration.policyNamed(named) };
}

const READING = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);

/**
 * Whether a request that no guarded API is asked with could be taken for one by the upstream: servers differ in what they make
 * of case, escapes, doubled slashes, parameters of a segment and other methods.
 */
function isOtherSpelling(method: string, path: string): boolean {
  if (READING.has(method)) return false;
  const segments = decoded(decoded(path)).toLowerCase().replaceAll("\\", "/").split("/");
  const named = segments.map((segment) => (segment.split(";", 1)[0] ?? "").trim());
  const plainPath = `/${named.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
  return protocolFor("POST", plainPath) !== undefined;
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Which base URL a request goes to: the operator's upstreams by path, and never a host that a client names. */
export interface Routes {
  /** By a prefix such as `/groq`, which is taken off; the longest that fits counts. */
  readonly byPrefix: readonly { readonly prefix: string; readonly upstream: URL }[];
  /** For paths under none of them that say whose they are; the first that knows a path counts. */
  readonly byPath: readonly ((target: string) => URL | undefined)[];
  /** For all others, by the name of the wire format. */
  readonly byWire: Readonly<Record<string, URL>>;
  readonly otherwise: URL;
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

/** Default upstreams: each wire format goes to its maker's API. */
export function routesFor({ upstream, upstreams = {} }: Upstreams): Routes {
  const { "/": others = upstream, ...prefixed } = upstreams;
  const named = Object.entries(prefixed).map(([prefix, to]) => ({ prefix: withoutEndSlashes(prefix), upstream: to }));
  const byPrefix = named.sort((one, other) => other.prefix.length - one.prefix.length);
  if (others !== undefined) return { byPrefix, byPath: [], byWire: {}, otherwise: others };
  return {
    byPrefix: [...byPrefix, ...MAKERS],
    byPath: [vertexOf, (target) => (OLLAMA_PATHS.test(target) ? OLLAMA : undefined)],
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

const MAKERS: Routes["byPrefix"] = [
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

/** The upstream of a request, and the target that it is sent there. */
export function routeOf(
  { byPrefix, byPath, byWire, otherwise }: Routes,
  { target, wire, header }: { target: string; wire: string | undefined; header: (name: string) => string | undefined },
): { readonly upstream: URL; readonly target: string } {
  const led = target.replace(/^\/{2,}/, "/");
  for (const { prefix, upstream } of byPrefix) {
    const rest = led.slice(prefix.length);
    if (led.startsWith(prefix) && /^([/?]|$)/.test(rest))
      return { upstream, target: rest.startsWith("/") ? rest : `/${rest}` };
  }
  for (const ofMaker of byPath) {
    const upstream = ofMaker(target);
    if (upstream !== undefined) return { upstream, target };
  }
  const format = wire ?? HEADERS.find(([name]) => header(name) !== undefined)?.[1];
  const own = format !== undefined && Object.hasOwn(byWire, format) ? byWire[format] : undefined;
  return { upstream: own ?? otherwise, target };
}
