import type { Detector, Finding } from "../finding.ts";
import type { CallPrint } from "../fingerprint.ts";
import type { Settings } from "../settings.ts";
import { nearlyEqual } from "../sketch.ts";
import { type Act, hasFailed, toolsIn, toolsOf } from "../view.ts";

/** The same turn with the same outcome, in a row or among the last few. */
export const repeatedCall: Detector = ({ act, acts, asked, repeats }, { "repeated-call": settings }) => {
  if (act === undefined || !repeats || (settings.polls === "leave" && act.polls)) return [];
  const isRepeat = repeatOf(act, settings);
  const row = inARow(acts, isRepeat);
  const near = nearby(acts, act, isRepeat, settings);
  // Other work between repeats is a sign of life.
  const nearCount = near.length - settings.apart;
  const best = nearCount > row.length ? { repeats: near, count: nearCount } : { repeats: row, count: row.length };
  // A user who spoke before a repeat may have asked for it.
  const wanted = best.repeats.slice(1).filter((repeat) => repeat.userBefore).length;
  const count = best.count - Math.max(wanted, asked);
  return count < 2 ? [] : [finding(act, best.repeats, count, settings)];
};

type RepeatedCallSettings = Settings["repeated-call"];
type IsRepeat = (earlier: Act) => boolean;

function finding(act: Act, repeats: readonly Act[], count: number, { outcome }: RepeatedCallSettings): Finding {
  const grade = isSend(act) ? "send" : gradeOf(outcome === "same" ? [act] : repeats);
  const among = outcome === "same" ? "with the same outcome" : "whatever came back";
  return {
    detector: "repeated-call",
    ...(grade === undefined ? {} : { grade }),
    // What is written or sent keeps its name though each report has an id of its own.
    loop: `repeated-call:${act.print.act}:${outcome === "any" || isEffect(act) ? "" : act.print.out}`,
    count,
    evidence: repeats.map((repeat) => repeat.at),
    tools: toolsIn([act]),
    note: `${toolsOf(act.print)}: the same call ${among}, ${repeats.length} times`,
  };
}

/** Where outcomes may differ, one that succeeded makes it no failing call. */
function gradeOf(repeats: readonly Act[]): string | undefined {
  if (!repeats.every(({ print }) => hasFailed(print))) return undefined;
  const passing = repeats.every(({ print }) => print.calls.every((call) => call.out?.cause === "transient"));
  return passing ? "transient" : "failing";
}

/** A message that went out reaches a person each time, whatever id the answer carries. */
function isSend(act: Act): boolean {
  return act.print.calls.every((call) => call.kind === "send" && call.out?.failed !== true);
}

function repeatOf(act: Act, { outcome, order }: RepeatedCallSettings): IsRepeat {
  const sends = isSend(act);
  return (earlier) => {
    if (earlier.print.act !== act.print.act) return false;
    if (order === "kept" && earlier.print.order !== act.print.order) return false;
    if (outcome === "any" || earlier.print.out === act.print.out) return true;
    return sends ? !hasFailed(earlier.print) : sameEffect(earlier, act);
  };
}

/** "Clicked" says nothing of what it did: what is seen next does. */
function isBlind(act: Act): boolean {
  return act.print.calls.every(({ out }) => out?.weight === "acknowledgement");
}

/** Acts that brought what none before them had brought. */
function newsIn(acts: readonly Act[]): ReadonlySet<Act> {
  const known = new Set<string>();
  return new Set(acts.filter(({ print }) => known.size !== known.add(`${print.act} ${print.out}`).size));
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

function inARow(acts: readonly Act[], isRepeat: IsRepeat): readonly Act[] {
  let from = acts.length - 1;
  for (let before = acts[from - 1]; before !== undefined && isRepeat(before); before = acts[from - 1]) from--;
  return acts.slice(from);
}

/** Repeats among the last acts, back to where the outcome was another, a change landed, or a blind call was followed by news. */
function nearby(acts: readonly Act[], act: Act, isRepeat: IsRepeat, settings: RepeatedCallSettings): readonly Act[] {
  const { reach, from, changes } = settings;
  const news = changes === "reset" && isBlind(act) ? newsIn(acts) : new Set();
  const found: Act[] = [];
  let last = from === "here" ? acts.length - reach : acts.length - 1;
  for (let i = acts.length - 1; i >= Math.max(0, last); i--) {
    const earlier = acts[i];
    if (earlier === undefined) break;
    if (isRepeat(earlier)) {
      found.unshift(earlier);
      if (from === "repeat") last = i - reach;
    } else if (earlier.print.act === act.print.act || (changes === "reset" && earlier.landed) || news.has(earlier))
      break;
  }
  return found;
}
