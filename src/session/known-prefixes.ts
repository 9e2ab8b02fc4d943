import { stepKey } from "../engine/engine.ts";
import { sharedMap } from "../even-share.ts";
import type { Policy } from "../policy/policy.ts";
import type { Conversation } from "../step.ts";
import { ownerOf, type SessionKey, type SessionStore } from "../store/store.ts";
import { checksum } from "../text/bytes.ts";
import type { Sign } from "../text/sign.ts";
import type { Identity } from "./identity/identify.ts";
import type { StepAliases } from "./ledger/answers.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { plainOf } from "./ledger/ledger-text.ts";

/** Checksums by which a later body is recognised that only adds messages. Lengths in bytes, sums CRC-32. */
export interface BodyPrefix {
  /** Length up to the end of the messages. */
  readonly length: number;
  readonly sum: number;
  readonly restLength: number;
  readonly restSum: number;
}

export function bodyPrefix(body: Uint8Array, end: number, before?: BodyPrefix): BodyPrefix {
  const { length = 0, sum = 0 } = before ?? {};
  const rest = body.subarray(end);
  return {
    length: end,
    sum: checksum(body.subarray(length, end), sum),
    restLength: before?.restLength ?? rest.length,
    restSum: before?.restSum ?? checksum(rest),
  };
}

/** Where the messages end of a body that repeats an earlier one and adds some; undefined if it does not. */
export function endOfAddition(body: Uint8Array, { length, sum, restLength, restSum }: BodyPrefix): number | undefined {
  const end = body.length - restLength;
  if (end <= length || checksum(body.subarray(end)) !== restSum) return undefined;
  return checksum(body.subarray(0, length)) === sum ? end : undefined;
}

/** Known prefix: where a healthy thread's newest request ended, and its state then: the next one is read from there on. Holds no text. */
export interface KnownPrefix {
  /** One for each call of the newest answer: the next request is found by them. */
  readonly names: readonly string[];
  readonly body: BodyPrefix;
  readonly identity: Identity;
  readonly policy: Policy;
  readonly asked: AskedTerms;
  /** As it is saved, and with its pending step counted. */
  readonly ledger: Ledger;
  readonly tip: Ledger;
  readonly aliases: Omit<StepAliases, "passed">;
}

/** What a request asks for beside its conversation. */
export interface AskedTerms {
  readonly model: string;
  readonly models: readonly string[];
  /** Signature of what makes two requests of one history different ones. */
  readonly terms: string;
  /** Its answer comes as events, one at a time. */
  readonly streams: boolean;
  /** Its user wants a text that repeats itself; not looked for where the answer comes at once, which is not cut off. */
  readonly asksForRepetition: boolean;
}

/** Steps of live threads that a process remembers: some 16 MB. */
const MAX_STEPS = 16_384;

const OWN_WEIGHT = 4;

export type KnownPrefixes = ReturnType<typeof knownPrefixes>;

/** Of the threads that this process serves, one each; in a full memory each tenant has an even share. @param now milliseconds, monotonic */
export function knownPrefixes(ttlMs: number, now: () => number, maxSteps = MAX_STEPS) {
  const named = new Map<string, KnownPrefix>();
  const threads = sharedMap<KnownPrefix>({ weight: maxSteps }, now, (gone) => {
    for (const name of gone.names) if (named.get(name) === gone) named.delete(name);
  });
  return {
    find(name: string): KnownPrefix | undefined {
      const prefix = named.get(name);
      return prefix && threads.peek(prefix.identity.thread);
    },
    /** In place of its thread's older one. @param base what it goes on from: nothing, once that was forgotten or passed */
    put(prefix: KnownPrefix, base: KnownPrefix | undefined): void {
      const { thread } = prefix.identity;
      const there = threads.peek(thread);
      if (base !== undefined && (there === undefined || there.tip.total >= prefix.tip.total)) return;
      for (const name of prefix.names) named.set(name, prefix);
      // A step of many calls is as heavy as so many steps.
      const weight = prefix.tip.window.reduce((sum, { calls }) => sum + Math.max(1, calls.length), OWN_WEIGHT);
      threads.set(thread, ownerOf(thread), weight, prefix, ttlMs);
    },
    drop: threads.delete,
    dropSession(key: SessionKey): void {
      for (const { identity } of threads.values()) if (identity.key === key) threads.delete(identity.thread);
    },
    steps: threads.taken,
  };
}

/** A store for all who go by what is saved: of a thread that is read there nothing is known from then on. */
export function storeBehind(prefixes: KnownPrefixes, store: SessionStore): SessionStore {
  return {
    read(key) {
      prefixes.drop(key);
      return store.read(key);
    },
    write: (...record) => store.write(...record),
    remove: (key) => store.remove(key),
    close: () => store.close(),
  };
}

/** Whether a thread's next request can be read from here on, after one that was read whole: all is settled, and nothing has been done. */
export function canContinue(
  { steps, showsState, isUntold }: Conversation,
  { ledger, tip }: Pick<KnownPrefix, "ledger" | "tip">,
  sign: Sign,
): boolean {
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (last === undefined)
    return ledger.total === 0 && ledger.budgetKey === undefined && showsState !== true && isUntold !== true;
  const { pending, window, carried } = ledger;
  return (
    pending?.fingerprint.key === stepKey(last, sign) &&
    plainOf(ledger) !== undefined &&
    tip.interventions.length === 0 &&
    steps.every(({ calls }) => calls.every(({ outcome }) => outcome !== undefined)) &&
    carried + 1 === steps.length &&
    window.at(-1)?.key === (before && stepKey(before, sign))
  );
}
