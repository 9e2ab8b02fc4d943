/** What was done, or was refused, and by whom. Never a key, a token or a secret's value. */
export interface AuditEntry {
  /** An operation of the admin API that acts (`containSession`), `refused-admin`, `refused-key` or `config`. */
  readonly act: string;
  /** Name of the token or of the client key; undefined where nobody is known by what was sent. */
  readonly actor?: string | undefined;
  /** The other end of the connection. */
  readonly address?: string | undefined;
  /** `x-forwarded-for` as it came: anybody can write it who reaches the port. */
  readonly forwardedFor?: string | undefined;
  readonly reason?: string | undefined;
  /** Identifier of the session that was acted on. */
  readonly session?: string | undefined;
  /** What a reload changed, by path. */
  readonly changes?: readonly string[] | undefined;
}

/** Gives false where the entry could not be written: an act that leaves no trace must not take hold. */
export type RecordAudit = (entry: AuditEntry) => boolean;
