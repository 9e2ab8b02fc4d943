/** Every error of our own: a stable code, the HTTP status it is answered with, and the cure. `docs/errors.md` says more. */
export const errors = {
  upstream_unreachable: { status: 502, cure: "Check that the upstream in UNLOOP_UPSTREAM is right and running." },
  upstream_timeout: { status: 504, cure: "Raise the first-byte timeout, or ask the upstream for streaming." },
  body_too_large: { status: 413, cure: "Shorten the history, or raise UNLOOP_MAX_BODY_BYTES." },
  loop_detected: { status: 400, cure: "Change the plan or the question; a new user message lifts the block." },
  bad_setting: { status: 500, cure: "Correct the setting that the message names." },
} as const;

export type ErrorCode = keyof typeof errors;

export class UnloopError extends Error {
  override readonly name = "UnloopError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get status(): number {
    return errors[this.code].status;
  }

  get cure(): string {
    return errors[this.code].cure;
  }
}
