import type { Sign } from "../../text/sign.ts";

/** Length up to which a name is shown unchanged, in characters: nothing so short is a secret. */
const WHOLE = 12;
const BEGINNING = 8;

/** Whether an operator wants clients' names for sessions shortened or whole. */
export type SessionNames = "short" | "whole";

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
