/**
 * What agents call things, wherever their requests say it: a row for each. Words alone: what they mean, and which of several counts,
 * is decided where they are read. Places stand in one line, the surest first: a header, or a member of the body by its path. `name{member}` is JSON that has it,
 * `name?` means that for this agent alone, `name:` ends with a number of its own.
 */
export interface AgentNames {
  readonly name: string;
  /** Prefix of the headers that only this agent sends. */
  readonly headers?: string;
  /** Pattern of its name in the user agent. */
  readonly product?: RegExp;
  /** Headers with the id of its session. One that begins with `x-` names the agent, too, in rules and figures. */
  readonly session?: string;
  /** The same in the body. */
  readonly sessionFields?: string;
  /** The same where others make a new one for each request or turn: any other client's header counts before it. */
  readonly turn?: string;
  /** The id of a sub-agent. */
  readonly subagent?: string;
  /** The id of one of its threads, which each sub-agent has of its own. */
  readonly thread?: string;
  readonly threadFields?: string;
  /** The header that names a parent, and the ids that are a sub-agent's where it is there. */
  readonly subtasks?: readonly { readonly parent: string; readonly ids: string }[];
  /** What a header says of a request that has the history summed up. */
  readonly compaction?: { readonly header: string; readonly says: RegExp };
}

/** In the order in which their places count. */
export const AGENTS: readonly AgentNames[] = [
  {
    name: "Claude Code",
    session: "x-claude-code-session-id x-claude-session-id x-claude-remote-session-id",
    subagent: "x-claude-code-agent-id x-anthropic-agent-id",
  },
  {
    name: "Codex",
    headers: "x-codex-",
    product: /codex/i,
    // Its `x-client-request-id` is the conversation's; other clients send a new one with each request.
    session: `
      x-codex-session-id x-codex-turn-metadata{session_id} session-id? x-codex-parent-thread-id session_id? conversation_id?
      x-codex-thread-id thread-id? x-codex-turn-metadata{thread_id} x-codex-window-id: x-client-request-id?`,
    sessionFields: `
      client_metadata.session_id client_metadata.x-codex-turn-metadata{session_id}
      client_metadata.thread_id client_metadata.x-codex-turn-metadata{thread_id}`,
    subagent: "x-openai-subagent x-codex-thread-id",
    thread: "thread-id? x-codex-turn-metadata{thread_id}",
    threadFields: "client_metadata.thread_id client_metadata.x-codex-turn-metadata{thread_id}",
    compaction: { header: "x-codex-turn-metadata", says: /"request_kind"\s*:\s*"compaction"/ },
  },
  {
    name: "opencode",
    session: "x-parent-session-id",
    turn: "x-opencode-session x-opencode-session-id",
    subtasks: [
      {
        parent: "x-parent-session-id",
        ids: "x-session-id x-session-affinity x-opencode-session x-opencode-session-id",
      },
    ],
  },
  {
    name: "Kilo Code",
    session: "x-kilocode-parent-taskid x-kilocode-taskid x-kilo-session x-kilo-code-session-id",
    subtasks: [{ parent: "x-kilocode-parent-taskid", ids: "x-kilocode-taskid" }],
  },
  {
    name: "Roo Code",
    session: "x-roo-root-task-id x-roo-task-id x-roo-code-root-task-id x-roo-code-task-id",
    subtasks: [
      { parent: "x-roo-root-task-id", ids: "x-roo-task-id" },
      { parent: "x-roo-code-root-task-id", ids: "x-roo-code-task-id" },
    ],
  },
  { name: "Continue", session: "x-continue-session-id" },
  { name: "cagent", session: "x-cagent-session-id" },
  { name: "Hermes", session: "x-hermes-session-id" },
  { name: "DeepSeek harness", session: "x-deepseek-harness-session-id" },
  { name: "Mux", session: "x-mux-workspace-id" },
  { name: "Coder", session: "x-coder-chat-id" },
  { name: "other clients", session: "x-client-session-id x-interaction-id" },
  { name: "Open WebUI", session: "x-openwebui-chat-id" },
  { name: "Grok", session: "x-grok-conv-id" },
];

/** Names that programs give of themselves in headers, the surest first: ours, and that of OpenRouter's clients. */
const OWN_NAMES = ["x-unloop-agent", "x-title"];

/** Products of user agents that name a library: whoever uses it has the same. */
const LIBRARY =
  /^(?:(?:async)?(?:openai|anthropic|azureopenai)|ai(?:-sdk)?|google-genai-sdk|node(?:-fetch)?|undici|axios|got|bun|deno|mozilla|python-?\w*|aiohttp|go-http-client|okhttp|java(?:-http-client)?|ruby|rust|reqwest)$/i;

/** Headers by which each agent is known: `name?` is of several, and `name{member}` of what is in it. */
const headersOf = AGENTS.flatMap(({ name, session = "", subagent = "" }) =>
  `${session} ${subagent}`.split(/\s+/).flatMap((place) => {
    const header = /^(x-[\w-]+)(?:\{.*)?$/.exec(place)?.[1];
    return header === undefined || name === "other clients" ? [] : [{ name, header }];
  }),
);

/**
 * What an agent is called: as it calls itself, else by the headers of the agents that are known, else the first product of its user
 * agent without the version. Empty where that says no more than the library it asks with.
 */
export function agentName(header: (name: string) => string | undefined): string {
  const own = OWN_NAMES.map((name) => header(name)?.trim()).find(Boolean);
  if (own !== undefined) return own.replaceAll(/[\p{Cc}\p{Cf}]/gu, "").slice(0, 72);
  const known = headersOf.find((one) => header(one.header) !== undefined);
  return known?.name ?? (LIBRARY.test(productOf(header)) ? "" : productOf(header));
}

/** The first product of its user agent, which may be a library. */
export function productOf(header: (name: string) => string | undefined): string {
  return /^[\w.@-]{0,64}/.exec(header("user-agent") ?? "")?.[0] ?? "";
}
