import { noMemory } from "../../policy/policy.ts";
import type { Conversation } from "../../step.ts";
import { advance, advanceBy } from "./advance.ts";
import { emptyLedger, type EvaluationContext, type Intervention, type Ledger } from "./ledger.ts";
import { fingerprintCodec } from "../../engine/engine.ts";
import { type InputShape, isRecord, list, object, optional, wholeNumberFrom } from "../../shapes/shapes.ts";
import { stepShape } from "./ledger-text.ts";

/** Interventions that a policy would have made, oldest first: one each time a rung is reached. */
export type ReplayedInterventions = readonly Intervention[];

/** Judges a conversation step by step, as if each had just come. Yields the ledger behind each. */
export function replayConversation(
  conversation: Conversation,
  evaluation: EvaluationContext,
): Generator<Ledger, ReplayedInterventions> {
  const empty = emptyLedger(conversation, evaluation);
  return replay(empty, conversation.steps, (ledger, step) => advance(ledger, step, evaluation));
}

/**
 * Judges the remembered steps of a thread anew: those in its window, as they were fingerprinted. What came before is not
 * known any more, nor are budgets and arrivals.
 */
export function replayWindow(ledger: Ledger, evaluation: EvaluationContext): ReplayedInterventions {
  const { pending, ...counted } = ledger;
  const records = [
    ...ledger.window.map((fingerprint) => ({ fingerprint, prefix: "" })),
    ...(pending === undefined ? [] : [pending]),
  ];
  const total = ledger.total - ledger.window.length;
  const start: Ledger = { ...counted, total, since: total, window: [], memory: noMemory, interventions: [] };
  const replaying = replay(start, records, (before, record) => advanceBy(before, record, evaluation));
  let next = replaying.next();
  while (next.done !== true) next = replaying.next();
  return next.value;
}

function* replay<Taken>(
  start: Ledger,
  steps: readonly Taken[],
  take: (ledger: Ledger, step: Taken) => Ledger,
): Generator<Ledger, ReplayedInterventions> {
  const acts: Intervention[] = [];
  const reached = new Map<string, string>();
  let ledger = start;
  for (const step of steps) {
    ledger = take(ledger, step);
    const last = ledger.interventions.at(-1);
    const isNew = last !== undefined && last.at === ledger.total - 1;
    if (isNew && (reached.get(last.loop) !== last.rung || last.rung === "nudge")) {
      reached.set(last.loop, last.rung);
      acts.push(last);
    }
    yield ledger;
  }
  return acts;
}

/** A run by its steps alone: as it is exported, read again, and judged anew. */
export const stepsOfRun = { encode, decode, replay: replayWindow };

/** Newest steps of a thread as they are written down for a replay elsewhere. Plain JSON, no texts. */
interface ExportedRun {
  readonly total: number;
  readonly steps: readonly ReturnType<typeof fingerprintCodec.encode>[];
  readonly repeats?: number;
  /** Indexes of the steps after which its history was compacted, if it was. */
  readonly compactions?: readonly number[];
}

/** @param from index of the first step to give, if it is still known */
function encode(run: Pick<Ledger, "total" | "window" | "requestedRepeats" | "compactions">, from = 0): ExportedRun {
  const { total, window, requestedRepeats, compactions } = run;
  return {
    total,
    steps: window.slice(Math.max(0, window.length - (total - from))).map(fingerprintCodec.encode),
    ...(requestedRepeats > 0 && { repeats: requestedRepeats }),
    ...(compactions && { compactions }),
  };
}

const whole = wholeNumberFrom(0);
const runShape: InputShape<ExportedRun> = object({
  ...{ total: whole, steps: list(stepShape) },
  ...{ repeats: optional(whole), compactions: optional(list(whole)) },
});

/** A ledger to be replayed; undefined for what is no exported run. */
function decode(value: unknown, evaluation: EvaluationContext): Ledger | undefined {
  if (!isRecord(runShape, value) || value.total < value.steps.length) return undefined;
  const { total, steps, repeats = 0, compactions = [] } = value;
  const window = steps.map(fingerprintCodec.decode);
  const empty = emptyLedger({ system: "", opening: [], steps: [] }, evaluation);
  return { ...empty, total, window, requestedRepeats: repeats, compactions };
}
