import type { Step } from "../../step.ts";
import type { SessionKey, SessionStore, ThreadKey } from "../../store/store.ts";
import { randomIds } from "./call-ids.ts";
import type { Identity } from "./identify.ts";

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
  await store.write(nameKey(key), session, 0, ttlMs);
}

/** The id that a run's first request was given, for its later ones. @throws whatever the store throws */
export async function readRunName(
  store: SessionStore,
  { source, isCertain, isProven, key }: Identity,
): Promise<string | undefined> {
  if (source !== "derived" || !isCertain || isProven) return undefined;
  const name = (await store.read(nameKey(key)))?.json;
  return name !== undefined && SIGNATURE.test(name) ? name : undefined;
}

const SIGNATURE = /^[\w-]+$/;

function nameKey(key: SessionKey): ThreadKey {
  return `${key}.name` as ThreadKey;
}
