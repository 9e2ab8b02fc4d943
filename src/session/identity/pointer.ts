import { areTexts, isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Stored, ThreadKey } from "../../store/store.ts";

/** Pointer that stands under an answer's alias: the thread that it leads to, and its session. */
export interface Pointer {
  readonly thread: ThreadKey;
  readonly session: string;
  readonly source: string;
  /** The answered turn, sealed, where requests go on from the answer by its name. */
  readonly turn?: string;
  /** The run's first answer, as text. */
  readonly first?: string;
}

/** Undefined where there is none, or it cannot be read: then the history alone tells which run it is. */
export function readPointer(stored: Stored | undefined): Pointer | undefined {
  const value = stored === undefined ? undefined : parseJson(stored.json);
  return isPointer(value) ? value : undefined;
}

const THREAD = /^[\w~-]+\.[\w-]+$/;

/** The same where it has nothing but the thread, which is then all of the text. */
export function readThread(text: string): ThreadKey | undefined {
  return THREAD.test(text) ? (text as ThreadKey) : undefined;
}

function isPointer(value: unknown): value is Pointer {
  if (!isObject(value)) return false;
  const { thread, session, source, turn = "", first = "" } = value;
  return areTexts(thread, session, source, turn, first);
}
