import { finalText, forceDoneNote, nudgeNote, type Policy } from "../policy/policy.ts";
import type { Ask, Edit, FinalAnswer } from "../protocols/protocols.ts";
import { type Followed, type Placed, taskAt } from "../session/session.ts";

/** The done tool that this request offers, if any. */
export function doneToolOf(ask: Ask, policy: Policy): string | undefined {
  return policy.doneTools.find((name) => ask.tools.some((tool) => tool.name === name));
}

/**
 * What has to change in a request: the notes of earlier interventions in their old places, word for word, so that the
 * model keeps seeing them and the provider's prompt cache stays valid; then what the last step calls for.
 */
export function editsFor(ask: Ask, followed: Followed, policy: Policy): readonly Edit[] {
  const edits: Edit[] = [];
  for (const placed of [...followed.earlier, ...(followed.now === undefined ? [] : [followed.now])]) {
    const note = noteFor(ask, placed, policy);
    if (note !== undefined) edits.push(note);
  }
  if (followed.now?.intervention.rung === "force-done") edits.push({ kind: "finish", tool: doneToolOf(ask, policy) });
  return edits;
}

/** A short-circuit leaves no note: its answer is in the history itself. */
function noteFor(ask: Ask, { intervention, step: at }: Placed, policy: Policy): Edit | undefined {
  const step = ask.conversation.steps[at];
  if (step === undefined || intervention.rung === "short-circuit") return undefined;
  const { language } = intervention;
  const text =
    intervention.rung === "nudge"
      ? nudgeNote(intervention, step, language)
      : forceDoneNote(intervention, step, taskAt(ask.conversation, at), doneToolOf(ask, policy), language);
  return { kind: "note", step: at, text };
}

export function finalAnswerFor(ask: Ask, { intervention, about }: Placed, policy: Policy): FinalAnswer {
  const step = ask.conversation.steps[about] ?? { calls: [], text: "", heard: [] };
  return { text: finalText(intervention, step, intervention.language), doneTool: doneToolOf(ask, policy) };
}
