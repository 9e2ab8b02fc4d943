import type { Choice } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import { fieldOf, type RequestContext, withOverride } from "../../evaluation/evaluation.ts";
import { protocolFor } from "../../protocols/protocols.ts";
import type { Exchange } from "../../transport/transport.ts";
import type { GuardContext } from "../guard-context.ts";
import { type Destination, wantsWebSocket } from "../relay/forward.ts";
import { clientOf, upstreamKeyOf } from "./clients.ts";
import { isOtherSpelling } from "./other-spelling.ts";
import { routeOf } from "./routes.ts";
import { sessionInPath } from "./session-path.ts";

/** RequestEndpoint of a request: what its URL and its wire format say. */
export interface RequestEndpoint {
  /** Target to send upstream. */
  readonly exchange: Exchange;
  /** Without the query, and without what names a session or an upstream. */
  readonly path: string;
  /** The session that its URL names. */
  readonly pathSession: string | undefined;
  /** Undefined where it is not guarded. */
  readonly protocol: ReturnType<typeof protocolFor>;
  readonly upstream: URL;
}

export function endpointOf(incoming: Exchange, { configuration: { routes } }: GuardContext): RequestEndpoint {
  const { target: addressed, session: pathSession } = sessionInPath(incoming.target);
  const path = addressed.split("?", 1)[0] ?? "";
  const header = (name: string) => fieldOf(incoming, name);
  const protocol = protocolFor({ method: incoming.method, path, header });
  const { upstream, target } = routeOf(routes, { target: addressed, wire: protocol?.name, header });
  const exchange = target === incoming.target ? incoming : { ...incoming, target };
  return { exchange, path, pathSession, protocol, upstream };
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
  const context = byClient(exchange, guard.contextOf({ choice, client, protocol }), guard);
  return { destination, context: isOff(context, choice) ? undefined : context };
}

/** Where the model decides, that is known once the body is read. */
function isOff({ mode, mayAsk }: RequestContext, choice: Choice): boolean {
  return mode === "off" && mayAsk === undefined && "terms" in choice;
}

/** The operator's terms, or the client's where it has a say; what it asks for in vain is ignored. */
function byClient(exchange: Exchange, context: RequestContext, guard: GuardContext): RequestContext {
  if (!guard.configuration.allowClientOverrides) return context;
  const modeText = fieldOf(exchange, "x-unloop-mode");
  const mode = modeText === "enforce" || modeText === "observe" || modeText === "off" ? modeText : undefined;
  const named = fieldOf(exchange, "x-unloop-policy");
  const policy = named === undefined ? undefined : guard.configuration.policyNamed(named);
  return mode === undefined && policy === undefined ? context : withOverride(context, { mode, policy });
}
