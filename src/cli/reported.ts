import { nextRung, type Policy } from "../policy/policy.ts";
import { type DrawnFinding, drawnStep, type ReportedConversation } from "../page/page.ts";
import type { Intervention } from "../session/session.ts";
import type { Step } from "../step.ts";
import type { Played } from "./replay.ts";

/** A text of the report is cut to this, its middle left out. In characters. */
const LONGEST = 20_000;

/** A played conversation as its report tells it: with the texts, since the file is the user's own. */
export function reportedConversation(played: Played, policy: Policy): ReportedConversation {
  const { replayed, conversation, fingerprints } = played;
  const steps = fingerprints.map((fingerprint, i) => ({
    ...drawnStep(fingerprint, i),
    text: textOf(conversation.steps[i] ?? NOTHING),
  }));
  return {
    id: replayed.id,
    mode: "observe",
    task: cut(conversation.opening.join("\n\n")),
    steps,
    findings: drawnFindings(played, policy),
  };
}

const NOTHING: Step = { calls: [], text: "", heard: [] };

function textOf({ calls, text, heard }: Step) {
  return {
    calls: calls.map(({ tool, args, outcome }) => ({
      tool,
      args: cut(args),
      outcome: outcome === undefined ? null : cut(outcome.text),
    })),
    said: cut(text),
    heard: heard.map(cut),
  };
}

export function drawnFindings(
  { interventions }: Pick<Played, "interventions">,
  policy: Policy,
): readonly DrawnFinding[] {
  return interventions.map((intervention) => findingOf(intervention, policy));
}

function findingOf({ at, detector, grade, rung, count, evidence, tools = [], note }: Intervention, policy: Policy) {
  const next = nextRung(policy, { detector, tools, count, ...(grade !== undefined && { grade }) }, rung) ?? null;
  return { step: at, detector, grade: grade ?? null, rung, count, evidence, tools, note, next };
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)}\n… ${text.length - LONGEST} characters left out …\n${text.slice(-half)}`;
}
