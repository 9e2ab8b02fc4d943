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
import { clientOf } from "./clients.ts";
import { type Destination, routeOf, wantsWebSocket } from "../relay/forward.ts";
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

export function passingEndpoint({ exchange: { method }, path }: RequestEndpoint): string {
  return PASSING.find(([, pattern]) => method === "POST" && pattern.test(path))?.[0] ?? "other";
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
    header: (name) => fieldOf({ fields }, name),
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
    ...{ tenantHeader, sessionNames, pathSession, tenant: placement.tenant, headerNames: Object.keys(fields) },
  };
}

const PLAIN = /[\w.~:@!$&'()*+,;=-]/;

/** As servers read it: slashes merged, and nothing escaped that says the same plainly (`%3AgenerateContent`). */
function plainTarget(target: string): string {
  const [path = "", ...query] = target.split("?");
  const merged = path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  const plain = merged.replace(/%[2-7][\da-f]/gi, (escaped) => PLAIN.exec(decoded(escaped))?.[0] ?? escaped);
  return [plain, ...query].join("?");
}

/**
 * Treatment of a request by the operator's rules: where it goes, and what it is evaluated with; without a context it passes through.
 * @throws UnloopError `upgrade_required`, `client_key_refused`, `rate_limited`, `model_refused`, `unreadable`
 */
export function treatmentOf({ exchange, path, protocol, upstream }: RequestEndpoint, guard: GuardContext) {
  const { rules } = guard.configuration;
  const header = (name: string) => fieldOf(exchange, name);
  const client = clientOf(exchange, guard.configuration);
  if (client !== undefined) guard.clientUse.take(client);
  // At once and for good: at any other status agents knock again and again before they turn to HTTP.
  if (wantsWebSocket(exchange) && protocolFor("POST", path) !== undefined)
    throw new UnloopError("upgrade_required", "This API is guarded only over HTTP.");
  const destination: Destination = { transport: guard.transport, upstream, client };
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
