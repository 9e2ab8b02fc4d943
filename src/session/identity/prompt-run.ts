import { stepKey } from "../../engine/engine.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import { partsOf, type SessionKey, type SessionStore, type ThreadKey } from "../../store/store.ts";
import type { Ledger, OpenStep } from "../ledger/ledger.ts";
import { readLedger } from "../ledger/ledger-text.ts";
import { decodedOpen, encodedOpen, lastLines, tellsWordsOf } from "../ledger/open-step.ts";
import { type Identity, toldAlias } from "./identify.ts";
import { type Pointer, readPointer } from "./aliases.ts";

/** Stands in the pointer to a run's first answer: it has no thread yet. */
const NO_THREAD = "" as ThreadKey;

/** The run that a prompt goes on with, as far as what it tells of the newest answer says. */
export interface PromptRun {
  readonly identity: Identity;
  /** The run's first answer, where the prompt tells its first step: till then nothing tells one run from others. */
  readonly first?: OpenStep | undefined;
}

/**
 * A prompt that is written anew each time tells the latest steps alone, and of those hardly more than what was said: its run is
 * found by the newest answer's words, where nothing names it. @throws whatever the store throws.
 */
export async function resolvePromptRun(
  store: SessionStore,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Promise<PromptRun> {
  const newest = conversation.steps.at(-1);
  const { beginning, tenant } = identity;
  if (beginning === undefined || newest === undefined) return { identity };
  const line = lastLines(newest.text, sign).at(-1);
  const stored = line === undefined ? undefined : await store.read(toldAlias(tenant, beginning, line, sign));
  const pointer = readPointer(stored);
  if (pointer === undefined) return { identity };
  const { thread, session, source, first = "" } = pointer;
  if (thread === NO_THREAD)
    return conversation.steps.length === 1 ? { identity, first: decodedOpen(parseJson(first)) } : { identity };
  if (thread === identity.thread) return { identity };
  const record = await store.read(thread);
  const ledger = record && readLedger(record.json);
  if (ledger === undefined || !isRetoldBy(ledger, conversation, sign)) return { identity };
  const key = partsOf(thread).session as SessionKey;
  const run = { thread, session, label: session, source, key };
  return { identity: { ...identity, ...run, isProven: true } };
}

/** The newest step is what was answered last; of those before it the latest is known. */
function isRetoldBy({ open, window, pending }: Ledger, { steps }: Conversation, sign: Sign): boolean {
  const newest = steps.at(-1);
  const before = steps.at(-2);
  if (newest === undefined || open === undefined || !tellsWordsOf(newest, open, sign)) {
    // The same request again.
    return newest !== undefined && pending?.fingerprint.key === stepKey(newest, sign);
  }
  if (before === undefined) return true;
  const key = stepKey(before, sign);
  return pending?.fingerprint.key === key || window.some((fingerprint) => fingerprint.key === key);
}

/**
 * Saves where the words of an answer lead that later prompts will tell: to its run, or, of the first answer, to itself. @throws
 * whatever the store throws.
 */
export async function savePromptRun(
  store: SessionStore,
  identity: Identity,
  { answer, open, isFirst }: { readonly answer: Step; readonly open: OpenStep; readonly isFirst: boolean },
  sign: Sign,
  ttlMs: number,
): Promise<void> {
  // In full it stands in no store.
  const { beginning, tenant, thread, label: session, source } = identity;
  if (beginning === undefined) return;
  const pointer: Pointer = isFirst
    ? { thread: NO_THREAD, session: "", source: "", first: JSON.stringify(encodedOpen(open)) }
    : { thread, session, source };
  const json = JSON.stringify(pointer);
  const aliases = lastLines(answer.text, sign).map((line) => toldAlias(tenant, beginning, line, sign));
  await Promise.all(
    aliases.map(async (alias) => store.write(alias, json, (await store.read(alias))?.version ?? 0, ttlMs)),
  );
}
