import { type AgentNames, AGENTS } from "../../agents/agents.ts";
import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";

/** Length up to which a name is shown unchanged, in characters: nothing so short is a secret. */
const WHOLE = 12;
const BEGINNING = 8;

/** Whether an operator wants clients' names for sessions shortened or whole. */
type SessionNames = "short" | "whole";

const SIGNED = 6;

/**
 * What a session's own name is written as wherever it is kept or told: in stores, log, traces and alerts. Clients send ids of
 * connections and the like, which a reader of them could use; of a long one its beginning is told, and a signature.
 */
export function sessionLabel(session: string, sign: Sign, names: SessionNames = "short"): string {
  if (names === "whole" || session.length <= WHOLE || LABEL.test(session)) return session;
  return `${session.slice(0, BEGINNING)}..${sign(`label\u0000${session}`).slice(0, SIGNED)}`;
}

/** Who looks for a session by its label finds it. */
const LABEL = /^.{8}\.\.[\w-]{6}$/;

export interface RequestMetadata {
  /** Header fields by lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly headerNames: readonly string[];
  readonly tenantHeader?: string | undefined;
  /** Whether the operator has names shown whole; undefined: shortened. */
  readonly sessionNames?: SessionNames | undefined;
  /** `/session/<id>/…` in the path. */
  readonly pathSession: string | undefined;
  /** Name that the operator gives the tenant; undefined: its credential tells. */
  readonly tenant?: string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly field: (path: readonly string[]) => unknown;
}

/** One place. What is read is not yet known to be usable. */
export interface Source {
  /** `header:<name>`, `url:<form>` or `body:<path>`; told in `x-unloop-session-source`. */
  readonly name: string;
  readonly read: (evidence: RequestMetadata) => unknown;
}

/** A place as rows of agents write it. */
const PLACE = /^([^{?:]+)(?:\{([^}]*)\})?([?:]?)$/;

/** In order: ours, the agents' own, generic ones, gateways', the body's. Before a sub-agent's own id comes that of the run. */
export const sessionSources: readonly Source[] = [
  header("x-unloop-session"),
  { name: "url:/session/", read: ({ pathSession }) => pathSession },
  { name: "url:?session_id", read: ({ query }) => query("session_id") },

  ...AGENTS.flatMap((agent) => agentHeaders(agent, agent.session)),

  ...headers(`
    x-session-id x-session-affinity x-agent-session-id x-openai-session-id x-task-id
    x-conversation-id x-chat-id x-chat-session-id x-thread-id conversation-id
    session-id session_id conversation_id thread-id`),
  // Some clients make a new one for each request, or each turn, so every other session header goes first.
  ...AGENTS.flatMap((agent) => agentHeaders(agent, agent.turn)),
  ...headers(`
    x-livekit-job-id x-livekit-room-id agent-session-id x-litellm-session-id x-litellm-trace-id helicone-session-id x-portkey-trace-id x-bf-session-id
    x-archestra-session-id mcp-session-id`),
  { name: "header:x-archestra-meta", read: ({ header: of }) => of("x-archestra-meta")?.split("/")[2] },
  ...jsonHeader("x-portkey-metadata", "session_id sessionId _session conversation_id thread_id"),
  ...jsonHeader("cf-aig-metadata", "session_id sessionId conversation_id thread_id"),
  ...jsonHeader("x-tfy-metadata", "session_id sessionId conversation_id thread_id"),
  { name: "header:x-*-session-id", read: vendorHeader },

  { name: "body:metadata.user_id", read: ({ field }) => anthropicSession(field(["metadata", "user_id"])) },
  ...AGENTS.flatMap(({ sessionFields }) => agentFields(sessionFields)),
  ...fields(`
    session_id sessionId request.session_id thread_id conversation_id chat_id task_id
    metadata.session_id metadata.sessionId metadata.conversation_id metadata.thread_id metadata.chat_id
    metadata.langfuse_session_id metadata.group_id metadata.run_id
    litellm_metadata.session_id litellm_session_id litellm_trace_id tensorzero::episode_id episode_id
    conversation conversation.id`),
];

/** Made for a cache: one conversation's with most agents, but a whole application's or a user's with some. */
export const sharedSources: readonly Source[] = fields("prompt_cache_key");

/** A trace is often one request: believed only where nothing else tells, not even the conversation. */
export const traceSources: readonly Source[] = [
  { name: "header:langsmith-trace", read: ({ header: of }) => of("langsmith-trace")?.split(".")[0] },
  { name: "header:traceparent", read: ({ header: of }) => of("traceparent")?.split("-")[1] },
  { name: "header:sentry-trace", read: ({ header: of }) => of("sentry-trace")?.split("-")[0] },
  ...headers("x-datadog-trace-id x-b3-traceid"),
  {
    name: "header:baggage",
    read: ({ header: of }) => /(?:^|[,\s])session[._]id=([^,;\s]+)/.exec(of("baggage") ?? "")?.[1],
  },
  ...fields("trace.trace_id posthog_trace_id metadata.trace_id"),
];

/** Which of a session's agents speaks; all that is said about it counts. Each is a thread of its own. */
export const agentSources: readonly Source[] = [
  ...AGENTS.flatMap((agent) => agentHeaders(agent, agent.subagent)),
  ...headers("x-archestra-agent-id x-litellm-agent-id x-bf-agent-correlation-id"),
  ...AGENTS.flatMap((agent) => agentHeaders(agent, agent.thread)),
  ...AGENTS.flatMap(({ threadFields }) => agentFields(threadFields)),
  ...AGENTS.flatMap(({ subtasks = [] }) => subtasks.flatMap(({ parent, ids }) => subtask(parent, ids))),
];

/** Who an application acts for: a user, not a run. Equal beginnings of two users are two runs. */
export const userSources: readonly Source[] = [
  ...fields(
    "user safety_identifier end_user user_id metadata.user_id metadata.user metadata.userId litellm_metadata.user_id",
  ),
  ...headers(`
    x-user-id x-end-user-id x-user-email x-openwebui-user-id x-openwebui-user-email helicone-user-id x-litellm-end-user-id
    x-litellm-customer-id x-forwarded-user x-forwarded-email x-auth-request-user x-auth-request-email`),
];

/** Headers that identify the client program, not the run. */
const CLIENT = ["originator", "user-agent"];

const read = new Set([
  ...[...sessionSources, ...sharedSources, ...agentSources, ...userSources]
    .filter(({ name }) => name.startsWith("header:"))
    .map(({ name }) => name.slice("header:".length)),
  ...CLIENT,
]);

const OWN_PREFIXES = AGENTS.flatMap(({ headers: own = [] }) => own);

/** Whether a header field takes part in naming a run that has begun. */
export function takesPart(name: string): boolean {
  return read.has(name) || OWN_PREFIXES.some((own) => name.startsWith(own)) || VENDOR.test(name);
}

function header(name: string): Source {
  return { name: `header:${name}`, read: ({ header: of }) => of(name) };
}

function headers(names: string): readonly Source[] {
  return placesIn(names).map(header);
}

/** @param places in the notation of `AgentNames` */
function agentHeaders(agent: AgentNames, places = ""): readonly Source[] {
  return placesIn(places).map((place): Source => {
    const [, name = place, member, mark] = PLACE.exec(place) ?? [];
    if (member !== undefined) return { name: `header:${name}`, read: ({ header: of }) => inJson(of(name), member) };
    if (mark === ":") return { name: `header:${name}`, read: ({ header: of }) => of(name)?.replace(/:\d+$/, "") };
    if (mark !== "?") return header(name);
    // With other clients these names mean something else, or rank lower.
    const own = ({ header: of }: RequestMetadata) => of(name);
    return {
      name: `header:${name}`,
      read: (evidence) => (own(evidence) !== undefined && isOf(agent, evidence) ? own(evidence) : undefined),
    };
  });
}

function agentFields(places = ""): readonly Source[] {
  return placesIn(places).flatMap((place) => {
    const [, path = place, member] = PLACE.exec(place) ?? [];
    return member === undefined ? fields(path) : jsonField(path, member);
  });
}

/** Ids that are a sub-agent's where a parent is named beside them. */
function subtask(parent: string, names: string): readonly Source[] {
  return placesIn(names).map((name) => ({
    name: `header:${name}`,
    read: ({ header: of }) => (of(parent) === undefined ? undefined : of(name)),
  }));
}

function fields(paths: string): readonly Source[] {
  return placesIn(paths).map((path) => {
    const keys = path.split(".");
    return { name: `body:${path}`, read: ({ field }) => field(keys) };
  });
}

function jsonHeader(name: string, keys: string): readonly Source[] {
  return placesIn(keys).map((key) => ({ name: `header:${name}`, read: ({ header: of }) => inJson(of(name), key) }));
}

function jsonField(path: string, keys: string): readonly Source[] {
  return placesIn(keys).map((key) => ({
    name: `body:${path}`,
    read: ({ field }) => inJson(field(path.split(".")), key),
  }));
}

export function placesIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

// A parent's or a root's id is shared by all its sub-agents, and only their vendor knows which is which. LiveKit's session is one
// attempt at one request.
const VENDOR = /^(?!.*(parent|root|unloop|livekit))(x-[a-z0-9-]+-session|[a-z0-9-]+-(conversation|thread|task))-id$/;

/** Any vendor's, spelled the usual way; only values that look like an id. */
function vendorHeader({ header: of, headerNames }: RequestMetadata): string | undefined {
  const values = headerNames.filter((name) => VENDOR.test(name)).map(of);
  return values.find((value) => value !== undefined && /^[\w-]{8,}$/.test(value) && value !== "undefined");
}

function isOf({ headers: own, product }: AgentNames, { header: of, headerNames }: RequestMetadata): boolean {
  if (own !== undefined && headerNames.some((name) => name.startsWith(own))) return true;
  return product?.test(CLIENT.map((name) => of(name) ?? "").join(" ")) === true;
}

/** Current Claude clients put JSON there, older ones `user_<hash>_account_<id>_session_<uuid>`; anything else names a user. */
function anthropicSession(value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  return inJson(value, "session_id") ?? sessionInUserId(value);
}

function sessionInUserId(value: string): string | undefined {
  const mark = "_session_";
  const at = value.lastIndexOf(mark);
  const id = value.slice(at + mark.length);
  return at > 0 && value.startsWith("user_") && /^[\w-]{1,256}$/.test(id) ? id : undefined;
}

/** In characters; what is longer carries more than ids. */
const MAX_JSON = 8_192;

function inJson(text: unknown, key: string): unknown {
  if (typeof text !== "string" || text.length > MAX_JSON || !text.trimStart().startsWith("{")) return undefined;
  const value = parseJson(text);
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
