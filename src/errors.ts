/** Every error of our own: a stable code, the HTTP status it is answered with, and the cure. `docs/errors.md` says more. */
export const errors = {
  upstream_unreachable: {
    status: 502,
    cure: "Check UNLOOP_UPSTREAM if it is set, and that this machine can reach it; for a CERT error, set NODE_EXTRA_CA_CERTS.",
  },
  upstream_timeout: {
    status: 504,
    cure: "Use streaming, or raise UNLOOP_FIRST_BYTE_TIMEOUT_MS or UNLOOP_IDLE_TIMEOUT_MS.",
  },
  bad_target: { status: 400, cure: "Send the path as in the API's documentation." },
  request_refused: {
    status: 400,
    cure: "Send plain HTTP/1.1: one Host header, no transfer coding but chunked, no TRACE, fewer headers.",
  },
  header_too_large: { status: 431, cure: "Send less in it, or raise UNLOOP_MAX_HEADER_BYTES." },
  answer_header_too_large: { status: 502, cure: "Raise UNLOOP_MAX_HEADER_BYTES." },
  unreadable: { status: 400, cure: "Send the request as in the API's documentation: the exact path, JSON in UTF-8." },
  upgrade_required: { status: 426, cure: "Send the same request over HTTP, as agents do by themselves." },
  upgrade_unsupported: { status: 501, cure: "Use the HTTP API, or `unloop serve`." },
  client_gone: { status: 499, cure: "None needed: the client closed the connection before its answer was complete." },
  body_too_large: {
    status: 413,
    cure: "Shorten the history; or raise UNLOOP_MAX_BODY_BYTES, or leave UNLOOP_UNREADABLE at pass.",
  },
  body_read_before: {
    status: 500,
    cure: "Mount Unloop in front of whatever parses bodies, or keep the bytes for it (docs/library.md says how).",
  },
  overloaded: { status: 503, cure: "Retry after a second. If the error persists, add a replica." },
  upstream_busy: {
    status: 503,
    cure: "Retry after a second. If the error persists, raise UNLOOP_UPSTREAM_CONNECTIONS.",
  },
  loop_detected: { status: 400, cure: "Change the plan or the question; a new user message lifts the block." },
  client_key_refused: { status: 401, cure: "Send the client key from the operator of this proxy." },
  model_refused: { status: 403, cure: "Ask one of the models that the operator of this proxy allows for this key." },
  rate_limited: { status: 429, cure: "Send fewer requests, or have the operator of this proxy raise the key's limit." },
  audit_failed: { status: 503, cure: "Make room for the audit, or correct UNLOOP_AUDIT." },
  session_contained: { status: 403, cure: "Ask the operator who contained this session, or start a new one." },
  budget_unknown: { status: 503, cure: "Restore the session store, or allow the policy to continue without it." },
  internal_error: { status: 500, cure: "This is a bug in Unloop. The log says where; please report it." },
  store_unavailable: {
    status: 503,
    cure: "Check that the Redis in REDIS_URL is running and near; until then only the request's history is judged.",
  },
  record_refused: {
    status: 500,
    cure: "This is a bug in Unloop: it tried to store an invalid record. Please report it.",
  },
  config_unavailable: {
    status: 503,
    cure: "Retry after a second. If it persists, check the binding in wrangler.toml.",
  },
  bad_setting: { status: 500, cure: "Correct the setting in the message." },
} as const;

/** Code of an error, as responses and logs show it. */
export type ErrorCode = keyof typeof errors;

/** Error of Unloop: a stable code, its status and the cure. */
export class UnloopError extends Error {
  override readonly name = "UnloopError";
  readonly code: ErrorCode;
  /** For the log alone: clients need not know. */
  readonly facts: Readonly<Record<string, string>> | undefined;
  /** When the same request may be sent again, in whole seconds; undefined where nobody knows. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & Pick<Partial<UnloopError>, "facts" | "retryAfterS">,
  ) {
    super(message, options);
    this.code = code;
    this.facts = options?.facts;
    this.retryAfterS = options?.retryAfterS;
  }

  get status(): number {
    return errors[this.code].status;
  }

  get cure(): string {
    return errors[this.code].cure;
  }
}
