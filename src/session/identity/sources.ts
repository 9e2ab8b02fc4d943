import { type AgentNames, AGENTS } from "../../agents/agents.ts";
import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";

/** Length up to which a name is shown unchanged, in characters: nothing so short is a secret. */
const WHOLE = 12;
/** Who looks for a session by its label finds it. */
const LABEL = /^.{8}\.\.[\w-]{6}$/;

/** A session's own name as stores, log, traces and alerts have it: clients send ids of connections and the like, which a reader could use. */
export function sessionLabel(session: string, sign: Sign, names: RequestMetadata["sessionNames"] = "short"): string {
  if (names === "whole" || session.length <= WHOLE || LABEL.test(session)) return session;
  return `${session.slice(0, 8)}..${sign(`label\u0000${session}`).slice(0, 6)}`;
}

export interface RequestMetadata {
  readonly header: (name: string) => string | undefined;
  readonly headerNames: readonly string[];
  readonly tenantHeader?: string | undefined;
  /** Whether the operator has names shown whole; undefined: shortened. */
  readonly sessionNames?: "short" | "whole" | undefined;
  /** `/session/<id>/…` in the path. */
  readonly pathSession: string | undefined;
  /** Name that the operator gives the tenant; undefined: its credential tells. */
  readonly tenant?: string | undefined;
  readonly query: (name: string) => string | undefined;
  readonly field: (path: readonly string[]) => unknown;
}

export interface Source {
  /** `header:<name>`, `url:<form>` or `body:<path>`; told in `x-unloop-session-source`. */
  readonly name: string;
  readonly read: (evidence: RequestMetadata) => unknown;
}

/** A place in the notation of `AgentNames`; `name{a|b}` has one of several members. */
const PLACE = /^([^{?:]+)(?:\{([^}]*)\})?([?:]?)$/;

/** In order: ours, the agents' own, generic ones, gateways', the body's. Before a sub-agent's own id comes that of the run. */
export const sessionSources: readonly Source[] = [
  ...headers("x-unloop-session"),
  { name: "url:/session/", read: ({ pathSession }) => pathSession },
  { name: "url:?session_id", read: ({ query }) => query("session_id") },

  ...AGENTS.flatMap((agent) => headers(agent.session, agent)),

  ...headers(`
    x-session-id x-session-affinity x-agent-session-id x-openai-session-id x-task-id
    x-conversation-id x-chat-id x-chat-session-id x-thread-id conversation-id
    session-id session_id conversation_id thread-id`),
  // Some clients make a new one for each request, or each turn, so every other session header goes first.
  ...AGENTS.flatMap((agent) => headers(agent.turn, agent)),
  ...headers(`
    x-livekit-job-id x-livekit-room-id agent-session-id x-litellm-session-id x-litellm-trace-id helicone-session-id x-portkey-trace-id x-bf-session-id
    x-archestra-session-id mcp-session-id`),
  { name: "header:x-archestra-meta", read: ({ header }) => header("x-archestra-meta")?.split("/")[2] },
  ...headers(`
    x-portkey-metadata{session_id|sessionId|_session|conversation_id|thread_id}
    cf-aig-metadata{session_id|sessionId|conversation_id|thread_id}
    x-tfy-metadata{session_id|sessionId|conversation_id|thread_id}`),
  { name: "header:x-*-session-id", read: vendorHeader },

  { name: "body:metadata.user_id", read: ({ field }) => anthropicSession(field(["metadata", "user_id"])) },
  ...AGENTS.flatMap(({ sessionFields }) => fields(sessionFields)),
  ...fields(`
    session_id sessionId request.session_id thread_id conversation_id chat_id task_id
    metadata.session_id metadata.sessionId metadata.conversation_id metadata.thread_id metadata.chat_id
    metadata.langfuse_session_id metadata.group_id metadata.run_id
    litellm_metadata.session_id litellm_session_id litellm_trace_id tensorzero::episode_id episode_id
    conversation conversation.id`),
];

/** Made for a cache: one conversation's with most agents, but a whole application's or a user's with some. */
export const sharedSources: readonly Source[] = fields("prompt_cache_key");

/** Which of a session's agents speaks; all that is said about it counts. Each is a thread of its own. */
export const agentSources: readonly Source[] = [
  ...AGENTS.flatMap((agent) => headers(agent.subagent, agent)),
  ...headers("x-archestra-agent-id x-litellm-agent-id x-bf-agent-correlation-id"),
  ...AGENTS.flatMap((agent) => headers(agent.thread, agent)),
  ...AGENTS.flatMap(({ threadFields }) => fields(threadFields)),
  ...AGENTS.flatMap(({ subtasks = [] }) => subtasks).flatMap(({ parent, ids }) =>
    headers(ids).map(({ name, read }) => ({
      name,
      read: (evidence: RequestMetadata) => (evidence.header(parent) === undefined ? undefined : read(evidence)),
    })),
  ),
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

const CLIENT = ["originator", "user-agent"];

const read = new Set([
  ...[...sessionSources, ...sharedSources, ...agentSources, ...userSources].flatMap(({ name }) =>
    name.startsWith("header:") ? name.slice("header:".length) : [],
  ),
  ...CLIENT,
]);

const OWN_PREFIXES = AGENTS.flatMap(({ headers: own = [] }) => own);

/** Whether a header field takes part in naming a run that has begun. */
export function takesPart(name: string): boolean {
  return read.has(name) || OWN_PREFIXES.some((own) => name.startsWith(own)) || VENDOR.test(name);
}

export function placesIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function headers(text = "", agent?: AgentNames): readonly Source[] {
  return placesIn(text).flatMap((place) => {
    const [, name = place, members, mark] = PLACE.exec(place) ?? [];
    const value = ({ header }: RequestMetadata) => header(name);
    // With other clients such a name means something else, or ranks lower.
    const own = (evidence: RequestMetadata) =>
      value(evidence) !== undefined && agent && isOf(agent, evidence) ? value(evidence) : undefined;
    const unnumbered = (evidence: RequestMetadata) => value(evidence)?.replace(/:\d+$/, "");
    const read = mark === "?" ? own : mark === ":" ? unnumbered : value;
    return membersOf(`header:${name}`, read, members);
  });
}

function fields(text = ""): readonly Source[] {
  return placesIn(text).flatMap((place) => {
    const [, path = place, members] = PLACE.exec(place) ?? [];
    const keys = path.split(".");
    return membersOf(`body:${path}`, ({ field }) => field(keys), members);
  });
}

function membersOf(name: string, read: Source["read"], members: string | undefined): readonly Source[] {
  if (members === undefined) return [{ name, read }];
  return members.split("|").map((member) => ({ name, read: (evidence) => inJson(read(evidence), member) }));
}

// A parent's or a root's id is shared by all its sub-agents, and only their vendor knows which is which. LiveKit's session is one
// attempt at one request.
const VENDOR = /^(?!.*(parent|root|unloop|livekit))(x-[a-z0-9-]+-session|[a-z0-9-]+-(conversation|thread|task))-id$/;

/** Any vendor's, spelled the usual way; only values that look like an id. */
function vendorHeader({ header, headerNames }: RequestMetadata): string | undefined {
  const values = headerNames.filter((name) => VENDOR.test(name)).map(header);
  return values.find((value) => value !== undefined && /^[\w-]{8,}$/.test(value) && value !== "undefined");
}

function isOf({ headers: own, product }: AgentNames, { header, headerNames }: RequestMetadata): boolean {
  if (own !== undefined && headerNames.some((name) => name.startsWith(own))) return true;
  return product?.test(CLIENT.map((name) => header(name) ?? "").join(" ")) === true;
}

/** Current Claude clients put JSON there, older ones `user_<hash>_account_<id>_session_<uuid>`; anything else names a user. */
function anthropicSession(value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  const older = value.startsWith("user_") && value.includes("_session_") ? value.split("_session_").at(-1) : undefined;
  return inJson(value, "session_id") ?? (/^[\w-]{1,256}$/.test(older ?? "") ? older : undefined);
}

/** In characters; what is longer carries more than ids. */
const MAX_JSON = 8_192;

function inJson(text: unknown, key: string): unknown {
  if (typeof text !== "string" || text.length > MAX_JSON || !text.trimStart().startsWith("{")) return undefined;
  const value = parseJson(text);
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
