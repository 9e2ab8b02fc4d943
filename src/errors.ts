/** Every error of our own: a stable code, the HTTP status it is answered with, and the cure. `docs/errors.md` says more. */
export const errors = {
  upstream_unreachable: {
    status: 502,
    cure: "Check UNLOOP_UPSTREAM, where it is set, and that this machine reaches the upstream; the log names it.",
  },
  upstream_timeout: { status: 504, cure: "Raise the first-byte timeout, or ask the upstream for streaming." },
  bad_target: { status: 400, cure: "Send the path as the API's documentation has it, without dot segments or spaces." },
  request_refused: {
    status: 400,
    cure: "Send plain HTTP/1.1: one Host, no transfer coding but chunked, no TRACE, fewer header fields.",
  },
  unreadable: {
    status: 400,
    cure: "Send the request as the API's documentation has it: its path to the letter, JSON in UTF-8, no content coding.",
  },
  upgrade_required: {
    status: 426,
    cure: "Send the same request over HTTP, as agents do by themselves: a guarded API is not spoken over WebSockets.",
  },
  upgrade_unsupported: { status: 501, cure: "Use the HTTP API, or connect to the upstream directly for WebSockets." },
  client_gone: { status: 499, cure: "Nothing to do: the client hung up before its answer was complete." },
  body_too_large: { status: 413, cure: "Shorten the history, or raise UNLOOP_MAX_BODY_BYTES." },
  overloaded: {
    status: 503,
    cure: "Try again in a second; if it goes on, raise UNLOOP_BODY_BUDGET_BYTES or add a replica.",
  },
  upstream_busy: {
    status: 503,
    cure: "Try again in a second; if it goes on, raise UNLOOP_UPSTREAM_CONNECTIONS.",
  },
  loop_detected: { status: 400, cure: "Change the plan or the question; a new user message lifts the block." },
  bad_input: { status: 500, cure: "Give JSON Lines with one conversation each, or one JSON value; .gz is fine." },
  command_not_found: {
    status: 500,
    cure: "Install it, or say where it is: unloop wrap -- /path/to/command.",
  },
  client_key_refused: { status: 401, cure: "Send the client key that the operator of this proxy has given you." },
  session_contained: { status: 403, cure: "Ask the operator who ended this session, or begin a new one." },
  budget_unknown: { status: 503, cure: "Bring the session store back, or let the policy go on without it." },
  internal_error: {
    status: 500,
    cure: "This is a bug in Unloop; the log line beside it says where. Please report it.",
  },
  store_unavailable: {
    status: 503,
    cure: "Check that the Redis in REDIS_URL is running and near; until then the history alone is judged.",
  },
  record_refused: { status: 500, cure: "This is a bug in Unloop: it kept more than it should. Please report it." },
  bad_setting: { status: 500, cure: "Correct the setting that the message names." },
} as const;

export type ErrorCode = keyof typeof errors;

export class UnloopError extends Error {
  override readonly name = "UnloopError";
  readonly code: ErrorCode;
  /** For the log alone: clients need not know. */
  readonly facts: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & Pick<Partial<UnloopError>, "facts">) {
    super(message, options);
    this.code = code;
    this.facts = options?.facts;
  }

  get status(): number {
    return errors[this.code].status;
  }

  get cure(): string {
    return errors[this.code].cure;
  }
}
