import type { StepTime } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import { forceDoneNote, nudgeNote, placeOnLadder, type Policy } from "../../policy/policy.ts";
import type { Intervention, Ledger } from "../../session/session.ts";
import { partsOf, type ThreadKey } from "../../store/store.ts";
import { isoTime } from "./session-view.ts";

/** A thread with its ledger: signatures, flags and names, and no text. */
interface SeenThread {
  readonly key: ThreadKey;
  readonly ledger: Ledger;
  readonly times: readonly StepTime[];
  readonly policy: Policy;
}

export function threadView({ key, ledger: { total, since, window, interventions }, times, policy }: SeenThread) {
  return {
    id: partsOf(key).thread,
    steps: total,
    since,
    window: window.map((one, i) => drawnStep(one, total - window.length + i)),
    times: times.map(({ at, tokens, failure = null, ...one }) => ({
      ...{ ...one, at: isoTime(at), tokens: Math.round(tokens), failure },
    })),
    findings: interventions.map((made) => ({
      step: made.at,
      ...interventionView(made),
      loop: made.loop,
      due: placeOnLadder(policy, made, made.rung).due ?? null,
      evidence: made.evidence,
      tools: made.tools,
      foreseen: made.foreseen === true,
      told: wordsOf(made, policy),
    })),
  };
}

export function interventionView({ detector, grade, rung, count, note }: Intervention) {
  return { detector, grade: grade ?? null, rung, count, note };
}

/** What the model was told, in the words of the policy as it is now; of the calls, only their names are known. */
function wordsOf(intervention: Intervention, policy: Policy): string | null {
  const { rung, tools = [], language } = intervention;
  const told = { calls: tools.map((tool) => ({ tool, args: "" })), text: "", heard: [] };
  if (rung === "nudge") return nudgeNote({ ...intervention, isBehindOutcome: true }, told, language, policy);
  return rung === "force-done" ? forceDoneNote(intervention, told, "", undefined, language, policy) : null;
}
