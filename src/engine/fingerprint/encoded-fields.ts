import type { CallFingerprint } from "./call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { OutcomeFingerprint } from "./outcome-fingerprint.ts";

/** Fields of a fingerprint as they are written down: under short names, and without those that are as they usually are. */
export type EncodedFields = Readonly<Record<string, unknown>>;

export const STEP = inTurn({
  key: "k",
  callsHash: "a",
  order: "r",
  laps: "lp",
  outcomesHash: "o",
  thinks: "t",
  spawns: "sp",
  saidHash: "s",
  saidSimilarity: "sl",
  saidWords: "sw",
  announces: "n",
  closes: "e",
  chats: "ch",
  heard: "h",
  heardHashes: "hs",
  corrected: "x",
  automated: "ha",
  heardSimilarity: "hl",
  heardWords: "hw",
  heardCloses: "he",
} satisfies Record<Exclude<keyof Fingerprint, "calls">, string>);

export const CALL = inTurn({
  tool: "t",
  kind: "k",
  hash: "s",
  similarity: "l",
  shape: "m",
  slots: "d",
  words: "w",
  named: "i",
  moves: "g",
  targeted: "tg",
  passes: "pt",
  sized: "z",
  place: "p",
} satisfies Record<Exclude<keyof CallFingerprint, "outcome">, string>);

export const OUTCOME = inTurn({
  hash: "s",
  similarity: "l",
  failed: "f",
  structured: "j",
  weight: "w",
  pending: "p",
  cause: "c",
  shape: "m",
  slots: "d",
  words: "v",
  complains: "r",
  stem: "e",
  absence: "n",
} satisfies Record<keyof OutcomeFingerprint, string>);

export const QUIET = { saidHash: "", saidWords: 0, heard: "nothing" } as const;
export const PLAIN_CALL = { kind: "other", slots: "" } as const;
export const PLAIN_OUTCOME = {
  failed: false,
  weight: "informative",
  slots: "",
} as const;

/** A turn with one call is what that call is. */
export function standsFor(calls: readonly CallFingerprint[]): Pick<Fingerprint, "callsHash" | "outcomesHash"> {
  const [call] = calls;
  if (call === undefined || calls.length > 1) return { callsHash: "", outcomesHash: "" };
  return { callsHash: call.hash, outcomesHash: call.outcome?.hash ?? "?" };
}

export type FieldNames = readonly (readonly [name: string, short: string])[];

function inTurn(names: Readonly<Record<string, string>>): FieldNames {
  return Object.entries(names);
}

/** The fields that are not as they usually are. */
export function shortened(whole: object, names: FieldNames, usual: EncodedFields): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, short] of names) {
    const value: unknown = Reflect.get(whole, name);
    if (value !== undefined && value !== usual[name]) encoded[short] = value;
  }
  return encoded;
}
