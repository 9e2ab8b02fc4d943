import type { Detector, Finding } from "../finding.ts";
import type { CallPrint } from "../footprint.ts";
import { nearlyEqual } from "../sketch.ts";
import { type Act, hasFailed, isPoll, toolsOf } from "../view.ts";

/** How far back repeats with other work between them are looked for. In acts. */
const REACH = 8;

/** The same turn with the same outcome, in a row or among the last few. Polls have a detector of their own. */
export const repeatedCall: Detector = ({ act, acts, asked }) => {
  if (act === undefined || isPoll(act.print)) return [];
  const sends = isSend(act);
  const row = inARow(acts, act, sends);
  const near = nearby(acts, act, sends);
  // Other work between repeats is a sign of life: one more is needed.
  const best =
    near.length - 1 > row.length ? { repeats: near, count: near.length - 1 } : { repeats: row, count: row.length };
  // A user who spoke before a repeat may have asked for it.
  const wanted = best.repeats.slice(1).filter((repeat) => repeat.userBefore).length;
  const count = best.count - Math.max(wanted, asked);
  if (count < 2) return [];
  return [finding(act, best.repeats, count, sends ? "send" : gradeOf(act))];
};

function finding(act: Act, repeats: readonly Act[], count: number, grade: string | undefined): Finding {
  return {
    detector: "repeated-call",
    ...(grade === undefined ? {} : { grade }),
    // What is written or sent keeps its name though each report has an id of its own.
    loop: `repeated-call:${act.print.act}:${isEffect(act) ? "" : act.print.out}`,
    count,
    evidence: repeats.map((repeat) => repeat.at),
    note: `${toolsOf(act.print)}: the same call with the same outcome, ${repeats.length} times`,
  };
}

function gradeOf(act: Act): string | undefined {
  if (!hasFailed(act.print)) return undefined;
  return act.print.calls.every((call) => call.out?.cause === "transient") ? "transient" : "failing";
}

/** A message that went out reaches a person each time, whatever id the answer carries. */
function isSend(act: Act): boolean {
  return act.print.calls.every((call) => call.kind === "send" && call.out?.failed !== true);
}

function equal(a: Act, b: Act, sends: boolean): boolean {
  if (a.print.act !== b.print.act) return false;
  return a.print.out === b.print.out || (sends ? !hasFailed(a.print) : sameEffect(a, b));
}

function isEffect(act: Act): boolean {
  return act.print.calls.every((call) => (call.kind === "write" || call.kind === "send") && call.out?.failed === false);
}

/** The same change made again: its report differs by an id or a counter at most. */
function sameEffect(a: Act, b: Act): boolean {
  return isEffect(a) && isEffect(b) && a.print.calls.every((call) => b.print.calls.some(isSameReport(call)));
}

const isSameReport = (call: CallPrint) => (other: CallPrint) =>
  call.sig === other.sig &&
  call.out !== undefined &&
  other.out !== undefined &&
  nearlyEqual(call.out.like, other.out.like);

function inARow(acts: readonly Act[], act: Act, sends: boolean): readonly Act[] {
  let from = acts.length - 1;
  for (let before = acts[from - 1]; before !== undefined && equal(before, act, sends); before = acts[from - 1]) from--;
  return acts.slice(from);
}

/** Repeats among the last acts, back to where the outcome was another or a change landed. */
function nearby(acts: readonly Act[], act: Act, sends: boolean): readonly Act[] {
  const found: Act[] = [];
  for (const earlier of acts.slice(-REACH).reverse()) {
    if (equal(earlier, act, sends)) found.unshift(earlier);
    else if (earlier.print.act === act.print.act || earlier.landed) break;
  }
  return found;
}
