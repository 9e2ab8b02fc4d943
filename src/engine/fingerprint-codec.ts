import type { CallPrint, Footprint, OutcomePrint } from "./fingerprint.ts";
import { isRecord } from "./is-object.ts";
import { BLANK } from "./sketch.ts";

/** A footprint as it is written down: under short names, and without what it would say anyway. Plain JSON. */
export interface KeptFootprint {
  readonly k: string;
  readonly c: readonly Kept[];
  readonly [name: string]: unknown;
}

type Kept = Readonly<Record<string, unknown>>;

const STEP = inTurn({
  key: "k",
  act: "a",
  order: "r",
  out: "o",
  thinks: "t",
  said: "s",
  saidLike: "sl",
  saidWords: "sw",
  announces: "n",
  closes: "e",
  heard: "h",
  heardSigs: "hs",
  corrected: "x",
  heardLike: "hl",
  heardWords: "hw",
  heardCloses: "he",
} satisfies Record<Exclude<keyof Footprint, "calls">, string>);

const CALL = inTurn({
  tool: "t",
  kind: "k",
  sig: "s",
  like: "l",
  numbers: "n",
} satisfies Record<Exclude<keyof CallPrint, "out">, string>);

const OUTCOME = inTurn({
  sig: "s",
  like: "l",
  numbers: "n",
  failed: "f",
  structured: "j",
  weight: "w",
  pending: "p",
  cause: "c",
} satisfies Record<keyof OutcomePrint, string>);

const QUIET = { said: "", saidLike: BLANK, saidWords: 0, announces: false, heard: "nothing" } as const;
const PLAIN_CALL = { kind: "other", numbers: "" } as const;
const PLAIN_OUTCOME = {
  failed: false,
  structured: false,
  weight: "informative",
  pending: false,
  numbers: "",
} as const;

export function keptForm(print: Footprint): KeptFootprint {
  const { calls, heardSigs } = print;
  const alone = standsFor(calls);
  const kept = shortened(print, STEP, QUIET);
  // JSON leaves out what is undefined.
  if (kept.a === alone.act) kept.a = undefined;
  if (kept.o === alone.out) kept.o = undefined;
  if (heardSigs.length === 0) kept.hs = undefined;
  kept.c = calls.map(keptCall);
  return kept as KeptFootprint;
}

function keptCall(call: CallPrint): Kept {
  const kept = shortened(call, CALL, PLAIN_CALL);
  if (call.out !== undefined) kept.o = shortened(call.out, OUTCOME, PLAIN_OUTCOME);
  return kept;
}

export function fromKept(kept: KeptFootprint): Footprint {
  const calls = kept.c.map(callFrom);
  const usual = { ...QUIET, ...standsFor(calls), heardSigs: [] };
  return { ...usual, ...named(kept, STEP), key: kept.k, calls };
}

function callFrom(kept: Kept): CallPrint {
  const call = { ...PLAIN_CALL, ...named(kept, CALL) };
  return (isRecord(kept.o) ? { ...call, out: { ...PLAIN_OUTCOME, ...named(kept.o, OUTCOME) } } : call) as CallPrint;
}

/** Deep enough that what was cut, or written by hand, cannot break a request. */
export function isKept(value: unknown): value is KeptFootprint {
  return isRecord(value) && typeof value.k === "string" && Array.isArray(value.c) && value.c.every(isRecord);
}

/** A turn with one call is what that call is. */
function standsFor(calls: readonly CallPrint[]): Pick<Footprint, "act" | "out"> {
  const [call] = calls;
  if (call === undefined || calls.length > 1) return { act: "", out: "" };
  return { act: call.sig, out: call.out?.sig ?? "?" };
}

type Names = readonly (readonly [name: string, short: string])[];

function inTurn(names: Readonly<Record<string, string>>): Names {
  return Object.entries(names);
}

/** The fields that are not as they usually are. */
function shortened(whole: object, names: Names, usual: Kept): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, short] of names) {
    const value: unknown = Reflect.get(whole, name);
    if (value !== undefined && value !== usual[name]) kept[short] = value;
  }
  return kept;
}

function named(kept: Kept, names: Names): Kept {
  const whole: Record<string, unknown> = {};
  for (const [name, short] of names) if (kept[short] !== undefined) whole[name] = kept[short];
  return whole;
}
