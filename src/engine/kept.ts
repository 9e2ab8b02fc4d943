import type { CallPrint, Footprint, OutcomePrint } from "./footprint.ts";
import { isRecord } from "./record.ts";
import { BLANK } from "./sketch.ts";

/** A footprint as it is written down: under short names, and without what it would say anyway. Plain JSON. */
export interface KeptFootprint {
  readonly k: string;
  readonly c: readonly Kept[];
  readonly [name: string]: unknown;
}

type Kept = Readonly<Record<string, unknown>>;

const STEP = {
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
} as const satisfies Record<Exclude<keyof Footprint, "calls">, string>;

const CALL = {
  tool: "t",
  kind: "k",
  sig: "s",
  like: "l",
  numbers: "n",
} as const satisfies Record<Exclude<keyof CallPrint, "out">, string>;

const OUTCOME = {
  sig: "s",
  like: "l",
  numbers: "n",
  failed: "f",
  structured: "j",
  weight: "w",
  pending: "p",
  cause: "c",
} as const satisfies Record<keyof OutcomePrint, string>;

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
  const { key, calls, heardSigs } = print;
  const usual = { ...QUIET, ...standsFor(calls), ...(heardSigs.length === 0 ? { heardSigs } : {}) };
  return { ...shortened(print, STEP, usual), k: key, c: calls.map(keptCall) };
}

function keptCall(call: CallPrint): Kept {
  const kept = shortened(call, CALL, PLAIN_CALL);
  return call.out === undefined ? kept : { ...kept, o: shortened(call.out, OUTCOME, PLAIN_OUTCOME) };
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

type Names = Readonly<Record<string, string>>;

/** The fields that are not as they usually are. */
function shortened(whole: object, names: Names, usual: Kept): Kept {
  const kept: Record<string, unknown> = {};
  for (const [name, short] of Object.entries(names)) {
    const value: unknown = Reflect.get(whole, name);
    if (value !== undefined && value !== usual[name]) kept[short] = value;
  }
  return kept;
}

function named(kept: Kept, names: Names): Kept {
  const whole: Record<string, unknown> = {};
  for (const [name, short] of Object.entries(names)) if (kept[short] !== undefined) whole[name] = kept[short];
  return whole;
}
