import type { Step } from "../../step.ts";
import type { SessionKey, SessionStore, ThreadKey } from "../../store/store.ts";
import { randomIds } from "./call-ids.ts";
import type { Identity } from "./identify.ts";
import { type Pointer, readPointer } from "./pointer.ts";

/**
 * Saves the id of a run's first request, where no other run has the first answer's ids. @param key of the session that
 * the answer belongs to @throws whatever the store throws
 */
export async function saveRunName(
  store: SessionStore,
  { session, source }: Identity,
  { key, answer }: { readonly key: SessionKey; readonly answer: Step },
  ttlMs: number,
): Promise<void> {
  if (source !== "derived" || randomIds(answer) === undefined) return;
  const pointer = { thread: "" as ThreadKey, session, source } satisfies Pointer;
  await store.write(nameKey(key), JSON.stringify(pointer), 0, ttlMs);
}

/** The id that a run's first request was given, for its later ones. @throws whatever the store throws */
export async function readRunName(
  store: SessionStore,
  { source, isCertain, isProven, key }: Identity,
): Promise<string | undefined> {
  if (source !== "derived" || !isCertain || isProven) return undefined;
  return readPointer(await store.read(nameKey(key)))?.session;
}

function nameKey(key: SessionKey): ThreadKey {
  return `${key}.name` as ThreadKey;
}
