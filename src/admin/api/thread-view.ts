import { rungAt, type StepTime } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import { forceDoneNote, nudgeNote, placeOnLadder, type Policy } from "../../policy/policy.ts";
import type { Intervention, Ledger } from "../../session/session.ts";
import { partsOf, type ThreadKey } from "../../store/store.ts";
import { ABOUT, interventionFields } from "./session-view.ts";
import { show } from "./view.ts";

/** A thread with its ledger: signatures, flags and names, and no text. */
export interface SeenThread {
  readonly key: ThreadKey;
  readonly ledger: Ledger;
  readonly times: readonly StepTime[];
  readonly policy: Policy;
}

type DrawnStep = ReturnType<typeof drawnStep>;
type DrawnCall = DrawnStep["calls"][number];

const outcome = show.view<NonNullable<DrawnCall["outcome"]>>()({
  signature: show.text("Equal for equal outcomes."),
  class: show.oneOf(["ok", "failed", "empty", "pending"], "The kind of outcome."),
  cause: show.orNull(show.text("Why it failed, where that is known: `transient`, `permanent` and others.")),
});

const call = show.view<DrawnCall>()({
  tool: show.text("The tool's name."),
  kind: show.text("The kind of tool: `think`, `plan`, `poll`, `send`, `write` or `other`."),
  signature: show.text("Equal for equal calls."),
  outcome: show.orNull(show.part(outcome)),
});

const step = show.view<DrawnStep>()({
  index: show.whole("In its thread, from 0."),
  signature: show.text("Equal for steps that do the same; empty for a step without calls."),
  calls: show.each(call, "Its distinct calls."),
  said: show.text("Signature of the text beside the calls; empty without text."),
  heard: show.text("What came after it: `nothing`, `user` and others."),
});

const stepTime = show.view<StepTime>()({
  step: show.whole("Index of the step."),
  at: show.time("When the answer with it was over."),
  tokens: show.whole("Tokens in and out of its exchange.", ({ tokens }) => Math.round(tokens)),
  times: show.whole("How often in a row."),
  failure: show.orNull(show.text("In place of an answer: the upstream's status, or why none came.")),
});

type Finding = Intervention & { readonly policy: Policy };

const finding = show.view<Finding>()({
  step: show.whole("Index of the step that completed it.", ({ at }) => at),
  ...interventionFields,
  due: show.orNull(show.part(show.as(rungAt)), (made: Finding) => placeOnLadder(made.policy, made, made.rung).due),
  evidence: show.wholes("Indices of the steps that show the loop."),
  tools: show.texts(ABOUT.tools, ({ tools }) => tools),
  foreseen: show.yesNo("It was on an answer, before the agent could act on it.", ({ foreseen }) => foreseen === true),
  told: show.orNull(
    show.text("The words of a nudge or a force-done, without what calls and their results said."),
    wordsOf,
  ),
});

export const threadView = show.view<SeenThread>()({
  id: show.text("Names the thread.", ({ key }) => partsOf(key).thread),
  steps: show.whole("Steps so far; the window holds the newest 64.", ({ ledger }) => ledger.total),
  since: show.whole(
    "Steps before this one no longer count: a user message or a release lifted a block.",
    ({ ledger }) => ledger.since,
  ),
  window: show.each(
    step,
    "The newest steps, oldest first. Signatures and flags; no text.",
    ({ ledger: { window, total } }) => window.map((one, i) => drawnStep(one, total - window.length + i)),
  ),
  times: show.each(
    stepTime,
    "Of the newest steps that this process has relayed, and of what the upstream did not answer; it remembers them until it ends.",
  ),
  findings: show.each(finding, "Findings and interventions, oldest first.", ({ ledger, policy }) =>
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
