import type { Mutable } from "../../mutable.ts";
import type { CallFingerprint } from "./call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { Sign } from "../../text/sign.ts";

/**
 * Fingerprint of a relayed step: the calls of an answer as it was relayed, with what a later prompt tells came of them.
 * @param told of the step as the prompt tells it, whose outcome is that of all its calls
 */
export function relayedStep(relayed: Fingerprint, fingerprint: Fingerprint, sign: Sign): Fingerprint {
  const outcome = fingerprint.calls[0]?.outcome;
  if (outcome === undefined) return { ...relayed, key: fingerprint.key };
  const calls = relayed.calls.map((call): CallFingerprint => ({ ...call, outcome }));
  const joined: Mutable<Fingerprint> = { ...relayed, key: fingerprint.key, calls, outcomesHash: outcome.hash };
  if (calls.length > 1) joined.outcomesHash = sign(`relayed\u0000${calls.length}\u0000${outcome.hash}`);
  return joined;
}
