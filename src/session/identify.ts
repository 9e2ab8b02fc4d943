import { type Sign, stepKey, withoutStamps } from "../engine/engine.ts";
import type { Conversation } from "../step.ts";
import type { ThreadKey } from "../store/store.ts";

/** Whose run a request belongs to. */
export interface Identity {
  /** What the client may know it by: its own id, or the derived one. */
  readonly session: string;
  /** Where that came from: `header:<name>` or `derived`. */
  readonly source: string;
  readonly thread: ThreadKey;
}

/** A header's value, by its lower-case name. */
export type HeaderOf = (name: string) => string | undefined;

const SESSION_HEADERS = ["x-unloop-session"] as const;
const CREDENTIAL_HEADERS = ["authorization", "x-api-key", "api-key"] as const;

const MAX_LENGTH = 256;
const MEANINGLESS = /^(null|none|undefined|nil|nan|false|true|0|default|\[object object\])$/i;

/**
 * Names a request's session and thread. A client's own id is believed within its tenant only, so that nobody reaches
 * another's thread by guessing. Without one the conversation's beginning tells: equal openings are told apart by the
 * call ids of the first answer.
 */
export function identify(header: HeaderOf, conversation: Conversation, sign: Sign): Identity {
  const tenant = sign(`tenant\u0000${CREDENTIAL_HEADERS.map((name) => header(name) ?? "").join("\u0000")}`);
  const lineage = lineageOf(conversation, sign);
  for (const name of SESSION_HEADERS) {
    const id = usable(header(name));
    if (id !== undefined)
      return {
        session: id,
        source: `header:${name}`,
        thread: threadKey(sign, tenant, `id\u0000${id}\u0000${rootOf(conversation, sign)}`),
      };
  }
  const derived = sign(`derived\u0000${tenant}\u0000${lineage}`);
  return { session: derived, source: "derived", thread: threadKey(sign, tenant, `derived\u0000${derived}`) };
}

/** Undefined for what no run would be called. */
function usable(value: string | undefined): string | undefined {
  const id = value?.trim();
  if (id === undefined || id === "" || id.length > MAX_LENGTH || MEANINGLESS.test(id)) return undefined;
  return /^[\x20-\x7e]+$/.test(id) ? id : undefined;
}

/** Sub-agents of one session have other system texts or other tasks: each is a thread of its own. The time in them is none. */
function rootOf({ system, opening }: Conversation, sign: Sign): string {
  return sign(`root\u0000${withoutStamps(system)}\u0000${withoutStamps(opening[0] ?? "")}`);
}

function lineageOf(conversation: Conversation, sign: Sign): string {
  const first = conversation.steps[0];
  return sign(`lineage\u0000${rootOf(conversation, sign)}\u0000${first === undefined ? "" : stepKey(first, sign)}`);
}

function threadKey(sign: Sign, tenant: string, id: string): ThreadKey {
  return sign(`thread\u0000${tenant}\u0000${id}`) as ThreadKey;
}
