import type { Mode } from "../../config/config.ts";
import type { Policy } from "../../policy/policy.ts";

/** A client key of the operator's own, as it is known: by its SHA-256 alone. */
export interface ClientKey {
  readonly name: string;
  /** Sessions of different tenants are kept apart. */
  readonly tenant: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly policy?: Policy | undefined;
  readonly mode?: Mode | undefined;
  /** Sent upstream in place of the client's. */
  readonly upstreamKey?: string | undefined;
}
