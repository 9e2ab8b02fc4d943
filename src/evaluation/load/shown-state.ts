import { ledgerReach, type StoredLedger } from "../../session/session.ts";
import type { Call, Conversation, Step } from "../../step.ts";

/** The newest answer of a run whose prompts show states alone, and the step that its request ended with. */
export interface AnsweredState {
  /** Number of steps of the thread at that time. */
  readonly at: number;
  readonly step: Step;
  readonly calls: readonly Call[];
}

/** Name of the call that stands for a first look: a state that is shown before any action is no step's work. */
const LOOK = "get_state";

/**
 * A conversation that shows a state and no step, with the step that has led there: what was answered to the request before it.
 * One that comes again before it was answered is the same step again.
 * @param answered the answer's calls, as far as this process remembers them
 */
export function withStepShown(
  conversation: Conversation,
  { ledger }: Pick<StoredLedger, "ledger">,
  answered: AnsweredState | undefined,
): Conversation {
  const [step] = conversation.steps;
  if (conversation.showsState !== true || step === undefined) return conversation;
  const steps = ledgerReach(ledger);
  const isAnswered = ledger?.open !== undefined && ledger.open.at === steps;
  const at = isAnswered ? steps : (ledger?.total ?? 0);
  // The newest step of the request that this one repeats.
  if (answered !== undefined && answered.at === at + 1 && !isAnswered)
    return { ...conversation, steps: [answered.step] };
  const outcome = step.calls[0]?.outcome;
  if (answered !== undefined && answered.at === at && answered.calls.length > 0) {
    const calls = answered.calls.map(({ tool, args }) => ({
      tool,
      args,
      id: `step-${at}`,
      ...(outcome && { outcome }),
    }));
    return { ...conversation, steps: [answered.step, { calls, text: "", heard: [] }] };
  }
  const tool = isAnswered ? "action" : LOOK;
  const calls = step.calls.map((call) => ({ ...call, tool, id: `step-${at}` }));
  return { ...conversation, steps: [{ ...step, calls }] };
}

/** Runs whose newest answer is remembered; the oldest make room. */
const MAX_RUNS = 200;
/** Characters of a text that are remembered; the rest is dropped. */
const MAX_TEXT = 16_384;

/** Memory of such answers, of this process alone: none of their texts is ever kept elsewhere. */
export interface AnsweredStates {
  of(thread: string): AnsweredState | undefined;
  note(thread: string, answered: AnsweredState): void;
}

export function answeredStates(): AnsweredStates {
  const runs = new Map<string, AnsweredState>();
  return {
    of: (thread) => runs.get(thread),
    note(thread, { at, step, calls }) {
      runs.delete(thread);
      runs.set(thread, { at, step: shortened(step), calls: calls.map(cut) });
      const [oldest] = runs.keys();
      if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
    },
  };
}

function shortened(step: Step): Step {
  return { ...step, calls: step.calls.map(cut) };
}

function cut(call: Call): Call {
  const { args, outcome } = call;
  return {
    ...call,
    args: args.slice(0, MAX_TEXT),
    ...(outcome && { outcome: { ...outcome, text: outcome.text.slice(0, MAX_TEXT) } }),
  };
}
