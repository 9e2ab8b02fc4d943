import {
  choiceSetting,
  defineDetector,
  findingIn,
  type RawFinding,
  type SettingValues,
  wholeNumberSetting,
} from "../detector.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { similarity } from "../../scan/scan.ts";
import { hasFailed, isSingle, toolNames } from "../steps.ts";
import { type ActingStep, worksThroughList } from "../view.ts";

/** From this share of common words on, two calls of a tool are the same attempt. */
const ALIKE = 0.5;

const settings = {
  /** A turn with several calls has failed if `all` of them or `any` of them failed; `reset`: it ends the row. */
  multi: choiceSetting("all", "any", "reset"),
  /** A shorter row is no finding, whatever the ladders say. */
  least: wholeNumberSetting(3),
};

/** Consecutive failures: failing turns in a row, near-identical attempts or any calls. */
export const consecutiveFailures = defineDetector({
  name: "consecutive-failures",
  grades: { alike: "refining", any: "refining" },
  tells: { main: "alike-failures", any: "failures" },
  settings,
  detect({ action, actions }, { multi, least }) {
    if (action === undefined || !failed(action.fingerprint, multi)) return [];
    const failures = trailingFailures(actions, multi);
    if (worksThroughList(failures)) return [];
    const alike = trailingAlike(failures, action);
    const findings: RawFinding[] = [];
    if (alike.length >= least) findings.push(finding("alike", toolNames(action.fingerprint), alike));
    if (failures.length >= least) findings.push(finding("any", "any", failures));
    return findings;
  },
});

type Multi = SettingValues<typeof settings>["multi"];

function failed(fingerprint: Fingerprint, multi: Multi): boolean {
  if (multi === "any") return fingerprint.calls.some((call) => call.outcome?.failed === true);
  return hasFailed(fingerprint) && (multi === "all" || isSingle(fingerprint));
}

function finding(grade: "alike" | "any", tools: string, failures: readonly ActingStep[]): RawFinding {
  return findingIn(failures, {
    grade,
    // Named after the first failure: the streak keeps its name as it grows, and another streak has another.
    loop: `consecutive-failures:${tools}:${failures[0]?.fingerprint.callsHash}`,
    note:
      grade === "any"
        ? `${failures.length} failing turns in a row`
        : `${tools}: ${failures.length} attempts of one kind failed in a row`,
  });
}

function trailingFailures(actions: readonly ActingStep[], multi: Multi): readonly ActingStep[] {
  const row = actions.slice(actions.findLastIndex(({ fingerprint }) => !failed(fingerprint, multi)) + 1);
  return row.slice(
    Math.max(
      0,
      row.findLastIndex(({ userBefore }) => userBefore),
    ),
  );
}

function trailingAlike(failures: readonly ActingStep[], action: ActingStep): readonly ActingStep[] {
  return failures.slice(failures.findLastIndex((earlier) => !isAlike(earlier, action)) + 1);
}

function isAlike(a: ActingStep, b: ActingStep): boolean {
  if (a.fingerprint.calls.length !== b.fingerprint.calls.length) return false;
  return a.fingerprint.calls.every((call) => b.fingerprint.calls.some(isLike(call)));
}

const isLike = (call: CallFingerprint) => (other: CallFingerprint) => {
  if (call.tool !== other.tool || call.outcome === undefined || other.outcome === undefined) return false;
  if (similarity(call.similarity, other.similarity) < ALIKE) return false;
  return (
    call.outcome.hash === other.outcome.hash || similarity(call.outcome.similarity, other.outcome.similarity) >= ALIKE
  );
};
