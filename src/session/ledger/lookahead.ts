import {
  type Fingerprint,
  fingerprintOf,
  inspectAhead,
  memoizeByRef,
  predictedLadders,
  predictionRules,
  repeatables,
  WINDOW,
} from "../../engine/engine.ts";
import { type Decision, chooseRung, type Policy, stages } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import { requestWork } from "../../work.ts";
import { interventionFor } from "./advance.ts";
import type { MergeResult } from "./merge.ts";
import type { EvaluationContext, Ledger, PositionedIntervention } from "./ledger.ts";

/** Lookahead: which steps in the next answer would complete a loop. */
export interface Lookahead {
  /** Only a step that calls nothing but these can complete a loop; undefined: any that calls something. */
  readonly tools: ReadonlySet<string> | undefined;
  /** Prediction: what a step leads to if it is taken and everything comes back as it did before. */
  predict(step: Step): PositionedIntervention | undefined;
}

/** Undefined where no answer can complete a loop, since every rung is more than one step away. */
export function lookaheadFor(
  { tip }: Pick<MergeResult, "tip">,
  conversation: Conversation,
  evaluation: EvaluationContext,
): Lookahead | undefined {
  const { policy, sign } = evaluation;
  const last = tip.window.at(-1);
  const candidates = candidatesIn(tip, evaluation);
  if (last === undefined || candidates.length === 0) return undefined;
  const isAny = candidates.some(({ tools }) => tools === undefined);
  return {
    tools: isAny ? undefined : new Set(candidates.flatMap(({ tools = [] }) => tools)),
    predict(next) {
      const work = requestWork();
      const fingerprint = fingerprintOf(next, sign, policy.tools, new Set(), { work });
      for (const { taken, about } of candidates) {
        const decision = mildest(taken(fingerprint), tip, { policy, work });
        if (decision === undefined) continue;
        const made = interventionFor(decision, last, tip.total - 1, tip.language);
        const step = conversation.steps.length - 1;
        const there = step - (made.at - about);
        return { intervention: { ...made, about, foreseen: true }, step, about: there < 0 ? step : there };
      }
      return undefined;
    },
  };
}

export function isNearRung(tip: Ledger, terms: Terms): boolean {
  return candidatesIn(tip, terms).length > 0;
}

type Terms = Pick<EvaluationContext, "policy" | "work">;

/** A step that would complete a loop if the answer took it. */
interface Candidate {
  readonly tools: readonly string[] | undefined;
  readonly about: number;
  /** How an answer's step may look once it is taken; nothing if it is another step. */
  taken(fingerprint: Fingerprint): readonly Fingerprint[];
}

function candidatesIn(tip: Ledger, terms: Terms): readonly Candidate[] {
  if (tip.window.length === 0) return [];
  const { policy } = terms;
  const calls = repeatables(countingIn(tip), leastCount(policy) - 1, predictionRules(policy.detectors))
    .filter(({ again, otherwise }) => mildest([again, ...otherwise], tip, terms) !== undefined)
    .map(
      ({ again, otherwise, ago }): Candidate => ({
        tools: again.calls.map(({ tool }) => tool),
        about: tip.total - ago,
        taken: (fingerprint) =>
          fingerprint.callsHash === again.callsHash
            ? [again, ...otherwise].map((step) => inTheOrderOf(fingerprint, step))
            : [],
      }),
    );
  return [...calls, ...explanationCandidate(tip, terms)];
}

/** What is done is another thing each time, and what is said about it the same. */
function explanationCandidate(tip: Ledger, terms: Terms): readonly Candidate[] {
  const last = tip.window.at(-1);
  if (!last?.calls.length || last.saidHash === "") return [];
  if (!Object.keys(terms.policy.ladders).some((name) => predictedByWords.has(name))) return [];
  if (decisionOn(last, tip, terms) === undefined) return [];
  const taken = (fingerprint: Fingerprint) =>
    fingerprint.saidHash === last.saidHash && fingerprint.calls.length > 0 ? [fingerprint] : [];
  return [{ tools: undefined, about: tip.total - 1, taken }];
}

function inTheOrderOf({ order, laps }: Fingerprint, { order: _, laps: __, ...again }: Fingerprint): Fingerprint {
  return { ...again, ...(order !== undefined && { order }), ...(laps !== undefined && { laps }) };
}

/** What is decided whichever of these comes next: the weakest rung, and nothing if any of them leads to nothing. */
function mildest(suppositions: readonly Fingerprint[], tip: Ledger, terms: Terms): Decision | undefined {
  let least: Decision | undefined;
  for (const next of suppositions) {
    const decision = decisionOn(next, tip, terms);
    if (decision === undefined) return undefined;
    if (least === undefined || stages.indexOf(decision.rung) < stages.indexOf(least.rung)) least = decision;
  }
  return least;
}

function decisionOn(next: Fingerprint, tip: Ledger, { policy, work }: Terms): Decision | undefined {
  const { total, requestedRepeats, memory } = tip;
  const window = [...countingIn(tip), next].slice(-WINDOW);
  const situation = { window, total: total + 1, requestedRepeats, elsewhere: 0, work };
  const findings = inspectAhead(situation, policy.detectors);
  return chooseRung(findings, memory, policy, { at: total, userSpoke: false }).decision;
}

function countingIn({ window, total, since }: Ledger): readonly Fingerprint[] {
  return window.slice(-Math.max(1, total - since));
}

const predictedByCalls: ReadonlySet<string> = new Set(predictedLadders("calls"));
const predictedByWords: ReadonlySet<string> = new Set(predictedLadders("words"));

/** The lowest count at which anything is done about calls that are no sends. */
const leastCount = memoizeByRef(({ ladders, tools }: Policy) => {
  const all = [ladders, ...Object.values(tools).flatMap((terms) => terms.ladders ?? [])].flatMap((some) =>
    Object.entries(some),
  );
  return Math.min(...all.flatMap(([name, ladder]) => (predictedByCalls.has(name) ? Object.values(ladder ?? {}) : [])));
});
