import type { Detector, Finding } from "../finding.ts";
import type { CallPrint, Footprint } from "../fingerprint.ts";
import { similarity } from "../sketch.ts";
import type { Settings } from "../settings.ts";
import { type Act, hasFailed, isSingle, toolsIn, toolsOf } from "../view.ts";

/** From this share of common words on, two calls of a tool are the same attempt. */
const ALIKE = 0.5;

/** Failing turns in a row: near-identical attempts, or whatever the call. */
export const consecutiveFailures: Detector = ({ act, acts }, { "consecutive-failures": { multi, least } }) => {
  if (act === undefined || !failed(act.print, multi)) return [];
  const failures = trailingFailures(acts, multi);
  const alike = trailingAlike(failures, act);
  const findings: Finding[] = [];
  if (alike.length >= least) findings.push(finding("alike", toolsOf(act.print), alike));
  if (failures.length >= least) findings.push(finding("any", "any", failures));
  return findings;
};

type Multi = Settings["consecutive-failures"]["multi"];

function failed(print: Footprint, multi: Multi): boolean {
  if (multi === "any") return print.calls.some((call) => call.out?.failed === true);
  return hasFailed(print) && (multi === "all" || isSingle(print));
}

function finding(grade: "alike" | "any", tools: string, failures: readonly Act[]): Finding {
  return {
    detector: "consecutive-failures",
    grade,
    // Named after the first failure: the streak keeps its name as it grows, and another streak has another.
    loop: `consecutive-failures:${tools}:${failures[0]?.print.act}`,
    count: failures.length,
    evidence: failures.map((failure) => failure.at),
    tools: toolsIn(failures),
    note:
      grade === "any"
        ? `${failures.length} failing turns in a row`
        : `${tools}: ${failures.length} attempts of one kind failed in a row`,
  };
}

function trailingFailures(acts: readonly Act[], multi: Multi): readonly Act[] {
  let from = acts.length;
  for (let act = acts[from - 1]; act !== undefined && failed(act.print, multi); act = acts[from - 1]) {
    from--;
    if (act.userBefore) break;
  }
  return acts.slice(from);
}

function trailingAlike(failures: readonly Act[], act: Act): readonly Act[] {
  let from = failures.length;
  for (let earlier = failures[from - 1]; earlier !== undefined && isAlike(earlier, act); earlier = failures[from - 1])
    from--;
  return failures.slice(from);
}

function isAlike(a: Act, b: Act): boolean {
  if (a.print.calls.length !== b.print.calls.length) return false;
  return a.print.calls.every((call) => b.print.calls.some(isLike(call)));
}

const isLike = (call: CallPrint) => (other: CallPrint) => {
  if (call.tool !== other.tool || call.out === undefined || other.out === undefined) return false;
  if (similarity(call.like, other.like) < ALIKE) return false;
  return call.out.sig === other.out.sig || similarity(call.out.like, other.out.like) >= ALIKE;
};
