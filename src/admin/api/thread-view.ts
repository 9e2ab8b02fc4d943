import type { StepTime } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import { forceDoneNote, nudgeNote, placeOnLadder, type Policy } from "../../policy/policy.ts";
import type { Intervention, Ledger } from "../../session/session.ts";
import { partsOf, type ThreadKey } from "../../store/store.ts";
import { ABOUT, dueRung, RUNGS } from "./session-view.ts";
import { each, asOneOf, orNull, partOrNull, asText, asTexts, time, view, whole, wholes, yesNo } from "./view.ts";

/** A thread with its ledger: signatures, flags and names, and no text. */
export interface SeenThread {
  readonly key: ThreadKey;
  readonly ledger: Ledger;
  readonly times: readonly StepTime[];
  /** As it is now. */
  readonly policy: Policy;
}

type DrawnStep = ReturnType<typeof drawnStep>;
type DrawnCall = DrawnStep["calls"][number];

const outcome = view<NonNullable<DrawnCall["outcome"]>>()({
  signature: asText("Equal for equal outcomes."),
  class: asOneOf(["ok", "failed", "empty", "pending"], "The kind of outcome."),
  cause: orNull(asText("Why it failed, where that is known: `transient`, `permanent` and others.")),
});

const call = view<DrawnCall>()({
  tool: asText("The tool's name."),
  kind: asText("The kind of tool: `think`, `plan`, `poll`, `send`, `write` or `other`."),
  signature: asText("Equal for equal calls."),
  outcome: partOrNull(outcome, (one) => one.outcome),
});

const step = view<DrawnStep>()({
  index: whole("In its thread, from 0."),
  signature: asText("Equal for steps that do the same; empty for a step without calls."),
  calls: each(call, "Its distinct calls.", ({ calls }) => calls),
  said: asText("Signature of the text beside the calls; empty without text."),
  heard: asText("What came after it: `nothing`, `user` and others."),
});

const stepTime = view<StepTime>()({
  step: whole("Index of the step."),
  at: time("When the answer with it was over.", ({ at }) => at),
  tokens: whole("Tokens in and out of its exchange.", ({ tokens }) => Math.round(tokens)),
  times: whole("How often in a row."),
  failure: orNull(
    asText("In place of an answer: the upstream's status, or why none came."),
    ({ failure }) => failure ?? null,
  ),
});

type Finding = Intervention & { readonly policy: Policy };

const finding = view<Finding>()({
  step: whole("Index of the step that completed it.", ({ at }) => at),
  detector: asText(ABOUT.detector),
  grade: orNull(asText(ABOUT.grade), ({ grade }) => grade ?? null),
  rung: asOneOf<Finding>(RUNGS, ABOUT.rung),
  count: whole("How often it had happened."),
  due: partOrNull(dueRung, (made) => placeOnLadder(made.policy, { tools: [], ...made }, made.rung).due),
  loop: asText(ABOUT.loop),
  evidence: wholes("Indices of the steps that show the loop."),
  tools: asTexts(ABOUT.tools, ({ tools }) => tools ?? []),
  note: asText(ABOUT.note),
  foreseen: yesNo("It was on an answer, before the agent could act on it.", ({ foreseen }) => foreseen === true),
  told: orNull(asText("The words of a nudge or a force-done, without what calls and their results said."), wordsOf),
});

/** A thread of a session that is looked at. */
export const threadView = view<SeenThread>()({
  id: asText("Names the thread.", ({ key }) => partsOf(key).thread),
  steps: whole("Steps so far; the window holds the newest 64.", ({ ledger }) => ledger.total),
  since: whole(
    "Steps before this one no longer count: a user message or a release lifted a block.",
    ({ ledger }) => ledger.since,
  ),
  window: each(
    step,
    "The newest steps, oldest first. Signatures and flags; no text.",
    ({ ledger: { window, total } }) => window.map((one, i) => drawnStep(one, total - window.length + i)),
  ),
  times: each(
    stepTime,
    "Of the newest steps that this process has relayed, and of what the upstream did not answer; it remembers them until it ends.",
    ({ times }) => times,
  ),
  findings: each(finding, "Findings and interventions, oldest first.", ({ ledger, policy }) =>
    ledger.interventions.map((made) => ({ ...made, policy })),
  ),
});

/** What the model was told, in the words of the policy as it is now; of the calls, only their names are known. */
function wordsOf({ policy, ...intervention }: Finding): string | null {
  const { rung, tools = [], language } = intervention;
  const told = { calls: tools.map((tool) => ({ tool, args: "" })), text: "", heard: [] };
  if (rung === "nudge") return nudgeNote({ ...intervention, isBehindOutcome: true }, told, language, policy);
  return rung === "force-done" ? forceDoneNote(intervention, told, "", undefined, language, policy) : null;
}
