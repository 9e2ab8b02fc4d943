import { runStates } from "../../../activity/activity.ts";
import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { arm, detector, grade, mode, rung } from "./common.ts";
import {
  amountSchema,
  listSchema,
  mapOf,
  recordSchema,
  oneOfSchema,
  orNull,
  ref,
  textSchema,
  time,
  wholeSchema,
  yesNo,
} from "../json-schema.ts";

const due = orNull(
  recordSchema(
    { rung, at: wholeSchema("The count of the policy's ladder that decided.") },
    "The rung that the count has reached. A lower one than `rung`: the model was told so, and went on. Null where no count decided.",
  ),
);

const loop = recordSchema(
  {
    detector,
    grade,
    rung,
    count: wholeSchema("How often it has happened."),
    due,
    next: orNull(
      recordSchema(
        { rung, at: wholeSchema("The count that reaches it.") },
        "The next rung of the ladder; null at the last.",
      ),
    ),
    step: wholeSchema("Index of the step that completed it, in its thread."),
    thread: textSchema("The thread in which it was found."),
    tools: listSchema(textSchema("A tool."), "The tools that the loop consists of."),
    note: textSchema("What was seen, in one sentence; no text of the conversation."),
  },
  "The newest loop of the session.",
);

const STATES =
  "The most pressing of its threads: `running`; `looping`: it goes on with a loop, also in observe mode; `warned`, and the loop has not gone on; `recovered`: five steps without the loop; `forced` to finish; `ended` by Unloop; `cut`: its newest answer ran away; `failing`: the upstream did not answer its newest request; `contained` by an operator; `done`: it has given its answer; `idle`: no request for ten minutes. In observe mode none is `warned`, `forced`, `ended` or `cut`.";

const actor = textSchema("Who did it.");
const reason = textSchema("Why.");
const at = time("When.");

const feedback = recordSchema({
  right: yesNo("Whether the intervention was right."),
  detector: orNull(detector),
  reason,
  actor,
  at,
});

const containment = recordSchema({
  actor: textSchema("Who contained it."),
  reason: textSchema("Why."),
  at: time("Start time."),
  until: time("When the containment ends by itself."),
});

const session = {
  id: textSchema("Identifies the session in this API; opaque, safe in a URL."),
  name: textSchema("The client's name for it, or a name derived from its beginning."),
  source: textSchema("Where the name comes from: `header:<name>`, `url:<form>`, `body:<path>` or `derived`."),
  tenant: textSchema("The tenant: the name that the configuration gives it, or a signature of its credential."),
  client: orNull(textSchema("Name of the client key that it uses; null without client keys.")),
  agent: textSchema(
    "What the agent calls itself in `x-unloop-agent` or `x-title`, else what its headers or its user agent say; empty where that is no more than a library.",
  ),
  model: textSchema("The model of its newest request."),
  wire: textSchema("The wire format of its newest request, such as `chat-completions` or `messages`."),
  policy: textSchema("The policy that its newest request was judged by."),
  mode,
  rule: orNull(textSchema("The matching rule of the configuration file; null for the operator's defaults.")),
  arm,
  firstSeenAt: time("Its first request."),
  lastSeenAt: time("Its newest request."),
  requests: wholeSchema("Guarded requests."),
  steps: wholeSchema("Assistant turns, over all threads."),
  threads: wholeSchema("Conversations within it: the agent's own, and one for each sub-agent."),
  tokens: recordSchema(
    {
      cached: wholeSchema("Of the tokens in, those from the provider's cache."),
      input: wholeSchema("Tokens in."),
      output: wholeSchema("Tokens out."),
    },
    "As far as answers reported their usage.",
  ),
  loopTokens: wholeSchema("Tokens of exchanges with an intervention, or with one in observe mode."),
  interventions: mapOf(wholeSchema("How often."), "Interventions by rung."),
  observed: mapOf(wholeSchema("How often."), "What would have been done in enforce mode, by rung."),
  keptBack: wholeSchema(
    "Answers with a repeated call that the agent never got, and requests that the model never got.",
  ),
  answered: wholeSchema("Requests that Unloop has answered in the model's place."),
  avoidedTokens: wholeSchema("Tokens of those requests, at the least."),
  failing: orNull(textSchema("The newest answer was no success: its status, or why none came.")),
  failures: mapOf(wholeSchema("How often."), "Answers of the upstream that were no success, by status."),
  state: oneOfSchema(runStates, STATES),
  stateAt: time("When that began, as far as the process that answered its newest request has seen it."),
  why: textSchema("What led to it: what was seen of the loop, or an operator's reason; else empty."),
  loop: orNull(loop),
  blocked: yesNo(
    "Unloop has ended or forced a thread of it, and no user message or operator has lifted that since, so it can be released.",
  ),
  verdict: textSchema("Verdict of its newest exchange, as in `x-unloop-verdict`."),
  unread: orNull(
    textSchema(
      "Where its newest request has no step that is understood, so that no loop can be seen: the kind of the first entry of its history that is not, such as `item_reference`.",
    ),
  ),
  feedback: orNull(feedback),
  released: orNull(recordSchema({ actor, reason, at }, "An operator's last release.")),
  containment: orNull(containment),
};

const outcome = recordSchema({
  signature: textSchema("Equal for equal outcomes."),
  class: oneOfSchema(["ok", "failed", "empty", "pending"], "The kind of outcome."),
  cause: orNull(textSchema("Why it failed, where that is known: `transient`, `permanent` and others.")),
});

const step = recordSchema({
  index: wholeSchema("In its thread, from 0."),
  signature: textSchema("Equal for steps that do the same; empty for a step without calls."),
  calls: listSchema(
    recordSchema({
      tool: textSchema("The tool's name."),
      kind: textSchema("The kind of tool: `think`, `plan`, `poll`, `send`, `write` or `other`."),
      signature: textSchema("Equal for equal calls."),
      outcome: orNull(outcome),
    }),
    "Its distinct calls.",
  ),
  said: textSchema("Signature of the text beside the calls; empty without text."),
  heard: textSchema("What came after it: `nothing`, `user` and others."),
});

const finding = recordSchema({
  step: wholeSchema("Index of the step that completed it."),
  detector,
  grade,
  rung,
  count: wholeSchema("How often it had happened."),
  due,
  loop: textSchema("Equal for findings of the same loop."),
  evidence: listSchema(wholeSchema("A step."), "Indices of the steps that show the loop."),
  tools: listSchema(textSchema("A tool."), "The loop's tools."),
  note: textSchema("What was seen, in one sentence."),
  foreseen: yesNo("The intervention was on an answer, before the agent could act on it."),
  told: orNull(textSchema("The words of a nudge or a force-done, without what calls and their results said.")),
});

const thread = recordSchema({
  id: textSchema("Names the thread."),
  steps: wholeSchema("Steps so far; the window holds the newest 64."),
  since: wholeSchema("Steps before this one no longer count: a user message or a release lifted a block."),
  window: listSchema(step, "The newest steps, oldest first. Signatures and flags; no text."),
  times: listSchema(
    recordSchema({
      step: wholeSchema("Index of the step."),
      at: time("When the answer with it was over."),
      tokens: wholeSchema("Tokens in and out of its exchange."),
      times: wholeSchema("How often in a row."),
      failure: orNull(textSchema("Where the upstream gave no answer: its status, or why none came.")),
    }),
    "Of the newest steps that this process has relayed; it remembers them until it ends.",
  ),
  findings: listSchema(finding, "Findings and interventions, oldest first."),
});

const sums = {
  sessions: wholeSchema("Sessions."),
  looped: wholeSchema("Of them, those with a loop."),
  tokens: wholeSchema("Tokens in and out."),
  loopTokens: wholeSchema("Tokens inside loops."),
  cost: orNull(amountSchema("Cost of the tokens; null where no model has a price.")),
  loopCost: orNull(amountSchema("Cost of those inside loops.")),
  right: wholeSchema("Sessions whose intervention operators called right."),
  wrong: wholeSchema("Those that they called wrong."),
};

const overview = recordSchema({
  from: orNull(time("Beginning of the window; null without one.")),
  to: time("Now."),
  isWhole: yesNo("All sessions were looked through; else the newest 5,000."),
  states: mapOf(wholeSchema("Sessions."), "How many sessions are in each state."),
  total: recordSchema(sums, "Of all these sessions."),
  by: mapOf(
    listSchema(
      recordSchema({ name: textSchema("Its name."), ...sums }),
      "Those with most tokens inside loops first, 20 at most.",
    ),
    "The same by `agent`, `tenant`, `model`, `policy`, `tool`, `detector` and `unread`, the entries of histories that are not understood.",
  ),
  prices: recordSchema({
    policy: wholeSchema("Sessions priced by their policy."),
    list: wholeSchema("Sessions priced by vendors' list prices, in US dollars."),
    none: wholeSchema("Sessions whose model has no price."),
    listAt: textSchema("Month of the list prices."),
  }),
});

/** Schemas of sessions, and of the operations on them. */
export const sessionSchemas: Readonly<Record<string, JsonSchema>> = {
  Session: recordSchema(session),
  SessionPage: recordSchema({
    sessions: listSchema(ref("Session"), "Newest first."),
    next: orNull(textSchema("`cursor` of the next page; null at the end.")),
  }),
  SessionDetail: recordSchema({ ...session, lineages: listSchema(thread, "Its threads that are still stored.") }),
  Overview: overview,
  Act: bodies.Act.schema,
  Feedback: bodies.Feedback.schema,
  Contain: bodies.Contain.schema,
};
