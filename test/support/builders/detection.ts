import { requestWork } from "../../../src/work.ts";
import {
  type DetectorName,
  type Finding,
  type Fingerprint,
  fingerprintOf,
  inspect,
} from "../../../src/engine/engine.ts";
import { keyedHash } from "../../../src/text/keyed-hash.ts";
import { type Policy, presetNamed } from "../../../src/policy/policy.ts";
import {
  advance,
  emptyLedger,
  type Intervention,
  type EvaluationContext,
  type Ledger,
  ledgerText,
  readLedger,
} from "../../../src/session/session.ts";
import type { Conversation, Step } from "../../../src/step.ts";
import { conversation, type Part } from "./steps.ts";

export const sign = keyedHash("test");

export function defaultPolicy(): Policy {
  return preset("default");
}

export function preset(name: string): Policy {
  const policy = presetNamed(name);
  if (policy === undefined) throw new Error(`there is no preset ${name}`);
  return policy;
}

export function judgeWith(overrides: Partial<EvaluationContext> = {}): EvaluationContext {
  return { sign, policy: defaultPolicy(), ...overrides };
}

export function printOf(step: Step): Fingerprint {
  return fingerprintOf(step, sign, {}, new Set(), { work: requestWork() });
}

export function ledgerAfter(told: Conversation, evaluation = judgeWith()): Ledger {
  return told.steps.reduce((ledger, step) => stored(advance(ledger, step, evaluation)), emptyLedger(told, evaluation));
}

export function stored(ledger: Ledger): Ledger {
  const read = readLedger(ledgerText(ledger));
  if (read === undefined) throw new Error("a ledger does not survive its stored form");
  return read;
}

export function findingsOf(
  detector: DetectorName,
  parts: readonly Part[],
  terms: Partial<Policy> = {},
): readonly Finding[] {
  const policy = { ...defaultPolicy(), ...terms };
  const { window, total, requestedRepeats } = ledgerAfter(conversation(parts), judgeWith({ policy }));
  const findings = inspect({ window, total, requestedRepeats, elsewhere: 0 }, policy.detectors);
  return findings.filter((finding) => finding.detector === detector);
}

/** `3` or `3 failing`: short enough for a table. */
export function countsOf(
  detector: DetectorName,
  parts: readonly Part[],
  terms: Partial<Policy> = {},
): readonly string[] {
  return findingsOf(detector, parts, terms).map(({ count, grade }) =>
    grade === undefined ? `${count}` : `${count} ${grade}`,
  );
}

/** `nudge repeated-call x3 at 2`, one for each intervention. */
export function storyOf(told: Conversation, evaluation = judgeWith()): readonly string[] {
  return ledgerAfter(told, evaluation).interventions.map(line);
}

export function line({ rung, detector, count, at }: Intervention): string {
  return `${rung} ${detector} x${count} at ${at}`;
}
