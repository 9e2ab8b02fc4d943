import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { arm, detector, grade, mode, rung } from "./common.ts";
import { list, mapOf, object, oneOf, orNull, ref, text, time, whole, yesNo } from "../json-schema.ts";

const loop = object(
  {
    detector,
    grade,
    rung,
    count: whole("How often it has happened."),
    next: orNull(
      object(
        { rung, at: whole("The count that reaches it.") },
        { description: "The next rung of the ladder; null at the last." },
      ),
    ),
    step: whole("Index of the step that completed it, in its thread."),
    thread: text("The thread in which it was found."),
    tools: list(text("A tool."), "The tools that the loop consists of."),
    note: text("What was seen, in one sentence; no text of the conversation."),
    ended: yesNo("Unloop has ended the run because of it, or has forced the run to finish and it did."),
  },
  { description: "The newest loop of the session." },
);

const containment = object({
  actor: text("Who contained it."),
  reason: text("Why."),
  at: time("Start time."),
  until: time("When the containment ends by itself."),
});

const session = {
  id: text("Identifies the session in this API; opaque, safe in a URL."),
  name: text("The client's name for it, or a name derived from its beginning."),
  source: text("Where the name comes from: `header:<name>`, `url:<form>`, `body:<path>` or `derived`."),
  tenant: text("The tenant: the name that the configuration gives it, or a signature of its credential."),
  client: orNull(text("Name of the client key that it uses; null without client keys.")),
  agent: text("The first product of its user agent, such as `claude-cli/2.1`; empty if there is none."),
  model: text("The model of its newest request."),
  wire: text("The wire format of its newest request: `chat-completions`, `responses` or `messages`."),
  policy: text("The policy that its newest request was judged by."),
  mode,
  rule: orNull(text("The matching rule of the configuration file; null for the operator's defaults.")),
  arm,
  firstSeenAt: time("Its first request."),
  lastSeenAt: time("Its newest request."),
  requests: whole("Guarded requests."),
  steps: whole("Assistant turns, over all threads."),
  threads: whole("Conversations within it: the agent's own, and one for each sub-agent."),
  tokens: object(
    { input: whole("Tokens in."), output: whole("Tokens out.") },
    { description: "As far as answers reported their usage." },
  ),
  loopTokens: whole("Tokens of exchanges with an intervention, or with one in observe mode."),
  interventions: mapOf(whole("How often."), "Interventions by rung."),
  state: oneOf(
    ["looping", "ended", "cut", "contained", "healthy"],
    "`looping`: the loop of its newest intervention is not over; `ended`: by Unloop; `cut`: its newest answer was cut off; `contained`: ended by an operator. In observe mode: what enforce mode would have done.",
  ),
  loop: orNull(loop),
  cut: orNull(
    text(
      "The number and length of the laps in its newest answer, if that was cut off, or would have been in enforce mode.",
    ),
  ),
  blocked: yesNo(
    "Unloop has ended or forced a thread of it, and no user message or operator has lifted that since, so it can be released.",
  ),
  verdict: text("Verdict of its newest exchange, as in `x-unloop-verdict`."),
  containment: orNull(containment),
};

const outcome = object({
  signature: text("Equal for equal outcomes."),
  class: oneOf(["ok", "failed", "empty", "pending"], "The kind of outcome."),
  cause: orNull(text("Why it failed, where that is known: `transient`, `permanent` and others.")),
});

const step = object({
  index: whole("In its thread, from 0."),
  signature: text("Equal for steps that do the same; empty for a step without calls."),
  calls: list(
    object({
      tool: text("The tool's name."),
      kind: text("The kind of tool: `think`, `plan`, `poll`, `send`, `write` or `other`."),
      signature: text("Equal for equal calls."),
      outcome: orNull(outcome),
    }),
    "Its distinct calls.",
  ),
  said: text("Signature of the text beside the calls; empty without text."),
  heard: text("What came after it: `nothing`, `user` and others."),
});

const finding = object({
  step: whole("Index of the step that completed it."),
  detector,
  grade,
  rung,
  count: whole("How often it had happened."),
  loop: text("Equal for findings of the same loop."),
  evidence: list(whole("A step."), "Indices of the steps that show the loop."),
  tools: list(text("A tool."), "The loop's tools."),
  note: text("What was seen, in one sentence."),
  foreseen: yesNo("The intervention was on an answer, before the agent could act on it."),
});

const thread = object({
  id: text("Names the thread."),
  steps: whole("Steps so far; the window holds the newest 64."),
  since: whole("Steps before this one no longer count: a user message or a release lifted a block."),
  window: list(step, "The newest steps, oldest first. Signatures and flags; no text."),
  findings: list(finding, "Findings and interventions, oldest first."),
});

/** Of sessions, and of what can be done with them. */
export const sessionSchemas: Readonly<Record<string, JsonSchema>> = {
  Session: object(session),
  SessionPage: object({
    sessions: list(ref("Session"), "Newest first."),
    next: orNull(text("`cursor` of the next page; null at the end.")),
  }),
  SessionDetail: object({ ...session, lineages: list(thread, "Its threads that are still stored.") }),
  Act: bodies.Act.schema,
  Contain: bodies.Contain.schema,
};
