import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import type { OutcomeFingerprint } from "./fingerprint/outcome-fingerprint.ts";

/** All that it does is to look at what somebody else does, by the names of its calls or by what they answer. */
export function isPoll(fingerprint: Fingerprint): boolean {
  return (
    fingerprint.calls.length > 0 &&
    fingerprint.calls.every(
      (call) =>
        call.kind === "poll" || (call.kind === "other" && call.outcome?.pending === true && !call.outcome.failed),
    )
  );
}

/** Waiting and nothing else. */
export function isPause(fingerprint: Fingerprint | undefined): boolean {
  return fingerprint?.calls.every(isPauseCall) === true;
}

function isPauseCall({ kind, tool, passes, outcome }: CallFingerprint): boolean {
  return passes === true || (kind === "poll" && (SLEEP.test(tool) || isSilent(outcome)));
}

/** A pause and what is looked at behind it, in one turn. */
export function pausesToLook({ calls }: Fingerprint): boolean {
  return calls.some(isPauseCall) && calls.every((call) => isPauseCall(call) || call.kind === "other");
}

/** It does nothing but let time pass, whatever it says of that: a sleep, a timer, also in the background. */
export function passesTime({ calls }: Fingerprint): boolean {
  return (
    calls.length > 0 &&
    calls.every(({ kind, tool, passes }) => passes === true || (kind === "poll" && TIMER.test(tool)))
  );
}

const TIMER = /sleep|delay|timer|wake_?up/i;
const SLEEP = /(^|[^a-z])(sleep|wait|pause|delay)/i;

const isSilent = (out: OutcomeFingerprint | undefined): boolean =>
  out?.weight !== "informative" && out?.pending !== true;

/** It may be waited for: what fails or changes something is tried again, unless a pause is what its failure asks for. */
export function isLook(fingerprint: Fingerprint): boolean {
  return fingerprint.calls.every(
    ({ kind, outcome }) => kind === "other" && (outcome?.failed === false || outcome?.cause === "transient"),
  );
}
