import { fingerprintCodec } from "../../engine/engine.ts";
import { isObject } from "../../text/is-object.ts";
import { emptyLedger, type EvaluationContext, type Ledger } from "./ledger.ts";
import { MOST_STEPS, replayWindow } from "./replay-steps.ts";

/** A run by its steps alone: as it is exported, read again, and judged anew. */
export const stepsOfRun = { encode, decode, replay: replayWindow };

/** Newest steps of a thread as they are written down for a replay elsewhere. Plain JSON, no texts. */
interface ExportedRun {
  /** Steps of the thread so far: those that are given are its last ones. */
  readonly total: number;
  readonly steps: readonly ReturnType<typeof fingerprintCodec.encode>[];
  /** Number of repetitions that the user asked for, if one did. */
  readonly repeats?: number;
  /** Indexes of the steps after which its history was compacted, if it was. */
  readonly compactions?: readonly number[];
}

/** @param from index of the first step to give, if it is still known */
function encode(
  {
    total,
    window,
    requestedRepeats,
    compactions,
  }: Pick<Ledger, "total" | "window" | "requestedRepeats" | "compactions">,
  from = 0,
): ExportedRun {
  return {
    total,
    steps: window.slice(Math.max(0, window.length - (total - from))).map(fingerprintCodec.encode),
    ...(requestedRepeats > 0 && { repeats: requestedRepeats }),
    ...(compactions && { compactions }),
  };
}

/** A ledger to be replayed; undefined for what is no exported run. @param most newest steps that are taken */
function decode(value: unknown, evaluation: EvaluationContext, most = MOST_STEPS): Ledger | undefined {
  if (!isObject(value)) return undefined;
  const { total, steps, repeats = 0, compactions = [] }: Partial<ExportedRun> = value;
  if (!Array.isArray(steps) || !steps.every(fingerprintCodec.isEncoded)) return undefined;
  const isSound = [total, repeats, ...[compactions].flat()].every((one) => Number.isSafeInteger(one));
  if (!isSound || total === undefined || total < steps.length) return undefined;
  const window = steps.slice(-most).map(fingerprintCodec.decode);
  const empty = emptyLedger({ system: "", opening: [], steps: [] }, evaluation);
  return { ...empty, total, window, requestedRepeats: repeats, compactions };
}
