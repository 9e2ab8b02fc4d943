import type { CallPrint, Footprint, OutcomePrint } from "./footprint.ts";
import { BLANK } from "./sketch.ts";

/** A footprint as it is written down: without what it would say anyway. Plain JSON. */
export type KeptFootprint = { readonly calls: readonly KeptCall[] } & Partial<Omit<Footprint, "calls" | "key">> &
  Pick<Footprint, "key">;

type KeptCall = Pick<CallPrint, "tool" | "sig" | "like"> &
  Partial<Omit<CallPrint, "out">> & { readonly out?: KeptOutcome };
type KeptOutcome = Pick<OutcomePrint, "sig" | "like"> & Partial<OutcomePrint>;

const QUIET = { said: "", saidLike: BLANK, saidWords: 0, announces: false, heard: "nothing" } as const;
const PLAIN_CALL = { kind: "other", numbers: "" } as const;
const PLAIN_OUTCOME = {
  failed: false,
  structured: false,
  weight: "informative",
  pending: false,
  numbers: "",
} as const;

export function keptForm({ calls, act, out, heardSigs, ...print }: Footprint): KeptFootprint {
  const alone = standsFor(calls);
  return {
    ...without(print, QUIET),
    key: print.key,
    calls: calls.map(keptCall),
    ...(act === alone.act ? {} : { act }),
    ...(out === alone.out ? {} : { out }),
    ...(heardSigs.length === 0 ? {} : { heardSigs }),
  };
}

export function fromKept({ calls: kept, ...print }: KeptFootprint): Footprint {
  const calls = kept.map(({ out, ...call }) => {
    const whole = { ...PLAIN_CALL, ...call };
    return out === undefined ? whole : { ...whole, out: { ...PLAIN_OUTCOME, ...out } };
  });
  return { ...QUIET, ...standsFor(calls), heardSigs: [], ...print, calls };
}

/** A turn with one call is what that call is. */
function standsFor(calls: readonly CallPrint[]): Pick<Footprint, "act" | "out"> {
  const [call] = calls;
  if (call === undefined || calls.length > 1) return { act: "", out: "" };
  return { act: call.sig, out: call.out?.sig ?? "?" };
}

function keptCall({ out, tool, sig, like, ...call }: CallPrint): KeptCall {
  const kept = { tool, sig, like, ...without(call, PLAIN_CALL) };
  return out === undefined ? kept : { ...kept, out: keptOutcome(out) };
}

function keptOutcome({ sig, like, ...out }: OutcomePrint): KeptOutcome {
  return { sig, like, ...without(out, PLAIN_OUTCOME) };
}

/** The fields that are not as they usually are. */
function without<T extends object>(whole: T, usual: Readonly<Record<string, unknown>>): Partial<T> {
  const odd = Object.entries(whole).filter(([name, value]) => usual[name] !== value);
  return Object.fromEntries(odd) as Partial<T>;
}
