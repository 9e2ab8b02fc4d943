import type { JsonSchema } from "../../json-schema.ts";
import { decideSchemas } from "./decide-schemas.ts";
import { amount, list, mapOf, object, oneOf, orNull, ref, text, time, whole, yesNo } from "./json-schema.ts";

const detector = text("The detector's name, such as `repeated-call`; `runaway-output` for an answer that was cut off.");
const grade = orNull(text("A kind of the detector's findings with a ladder of its own, such as `failing`."));
const rung = oneOf(
  ["nudge", "force-done", "short-circuit", "cut"],
  "How hard the guard intervened (observe mode: would have).",
);
const arm = orNull(
  oneOf(["enforced", "held-out"], "Side of a rollout by percentage; null where nothing is rolled out."),
);
const mode = oneOf(["enforce", "observe", "off"], "How the policy is applied.");
const reason = {
  type: "string",
  minLength: 1,
  maxLength: 500,
  description: "Why, for the journal; a contained client is told it, too.",
};

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
  },
  { description: "The newest loop of the session." },
);

const containment = object({
  actor: text("Who contained it."),
  reason: text("Why."),
  at: time("Since when."),
  until: time("When the containment ends by itself."),
});

const session = {
  id: text("Names the session in this API; opaque, safe in a URL."),
  name: text("What the client calls it, or what was derived from its beginning."),
  source: text("Where the name comes from: `header:<name>`, `url:<form>`, `body:<path>` or `derived`."),
  tenant: text("The tenant: the name that the configuration gives it, or a signature of its credential."),
  client: orNull(text("Name of the client key that it uses; null without client keys.")),
  agent: text("The first product of its user agent, such as `claude-cli/2.1`; empty if there is none."),
  model: text("The model of its newest request."),
  wire: text("The wire format of its newest request: `chat-completions`, `responses` or `messages`."),
  policy: text("The policy that its newest request was judged by."),
  mode,
  rule: orNull(text("The rule of the configuration file that chose them; null for the operator's defaults.")),
  arm,
  firstSeenAt: time("Its first request."),
  lastSeenAt: time("Its newest request."),
  requests: whole("Guarded requests."),
  steps: whole("Assistant turns, over all threads."),
  threads: whole("Conversations within it: the agent's own, and one for each sub-agent."),
  tokens: object(
    { input: whole("Tokens in."), output: whole("Tokens out.") },
    { description: "As far as answers told their usage." },
  ),
  loopTokens: whole("Tokens of exchanges whose verdict was an intervention, or would have been in observe mode."),
  interventions: mapOf(whole("How often."), "Interventions by rung."),
  loop: orNull(loop),
  verdict: text("Verdict of its newest exchange, as in `x-unloop-verdict`."),
  containment: orNull(containment),
};

const outcome = object({
  signature: text("Equal for equal outcomes."),
  class: oneOf(["ok", "failed", "empty", "pending"], "What kind of outcome it is."),
  cause: orNull(text("Why it failed, where that is known: `transient`, `permanent` and others.")),
});

const step = object({
  index: whole("In its thread, from 0."),
  signature: text("Equal for steps that do the same; empty for a step without calls."),
  calls: list(
    object({
      tool: text("The tool's name."),
      kind: text("What kind of tool it is taken for: `think`, `plan`, `poll`, `send`, `write` or `other`."),
      signature: text("Equal for equal calls."),
      outcome: orNull(outcome),
    }),
    "Its distinct calls.",
  ),
  said: text("Signature of what was said beside the calls; empty if nothing was."),
  heard: text("What came after it: `nothing`, `user` and others."),
});

const finding = object({
  step: whole("Index of the step that completed it."),
  detector,
  grade,
  rung,
  count: whole("How often it had happened."),
  loop: text("Equal for findings of the same loop."),
  evidence: list(whole("A step."), "Indices of the steps that it rests on."),
  tools: list(text("A tool."), "The loop's tools."),
  note: text("What was seen, in one sentence."),
  foreseen: yesNo("It was made on an answer, before the agent could act on that."),
});

const thread = object({
  id: text("Names the thread."),
  steps: whole("Steps so far; the window holds the newest 64."),
  since: whole("Steps before this one do not count any more: a person, or a release, lifted a block."),
  window: list(step, "The newest steps, oldest first. Signatures and flags; no text."),
  findings: list(finding, "What was found and done, oldest first."),
});

const entry = object(
  {
    id: text("Its place in the journal: what `before` and `Last-Event-ID` take."),
    at: time("When."),
    type: oneOf(
      ["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset", "config"],
      "`warning`: one more step of the loop, and `rung` follows. `near-miss`: the step after a warning did not go on with the loop. `recovered`: a run went on for five steps without the loop. `contained`: an exchange was ended by a containment. `config`: a configuration was taken or refused.",
    ),
    session: text("Id of the session."),
    name: text("The session's name."),
    tenant: text("Its tenant."),
    policy: text("The policy."),
    mode: text("The mode."),
    arm: oneOf(["enforced", "held-out"], "Side of a rollout by percentage."),
    detector,
    grade: text("A kind of the detector's findings."),
    rung,
    count: whole("How often it had happened."),
    of: whole("Of a warning: the count that leads to `rung`."),
    step: whole("Index of the step."),
    tools: list(text("A tool."), "The loop's tools."),
    note: text("What was seen, in one sentence."),
    foreseen: yesNo("Made on an answer, before the agent could act on it."),
    actor: text("Who did it: a token's name, or `file` for a configuration file that has changed."),
    reason: text("Why."),
  },
  {
    optional: [
      "session",
      "name",
      "tenant",
      "policy",
      "mode",
      "arm",
      "detector",
      "grade",
      "rung",
      "count",
      "of",
      "step",
      "tools",
      "note",
      "foreseen",
      "actor",
      "reason",
    ],
    description: "One event; which fields it has depends on its type.",
  },
);

const tally = {
  nudge: whole("Nudges."),
  "force-done": whole("Forced ends."),
  "short-circuit": whole("Answers of the guard's own."),
  cut: whole("Answers cut off."),
  recovered: whole("Loops after which the run went on for five steps without them."),
  repeated: whole("Interventions on a loop that had had one."),
  warnings: whole("Steps after which one more would have forced a run to its end, or ended it."),
  nearMisses: whole("Warnings after which the next step did not go on with the loop."),
};

const analytics = object({
  window: oneOf(["1h", "6h", "24h", "7d"], "What was asked for."),
  from: time("Beginning of the first period."),
  to: time("Now."),
  policies: list(
    object({
      policy: text("The policy."),
      arm,
      exchanges: whole("Guarded exchanges."),
      sessions: whole("Sessions that began."),
      tokens: whole("Tokens in and out."),
      loopTokens: whole("Tokens spent inside loops."),
      ...tally,
    }),
    "By policy; a rollout has a row for either side.",
  ),
  ladders: list(
    object({ policy: text("The policy."), arm, detector, grade, ...tally }),
    "By policy, detector and grade.",
  ),
  tools: list(
    object({ tool: text("The tool."), detector, count: whole("Interventions.") }),
    "By tool and detector; rare tools are summed up as `*`.",
  ),
  series: list(
    object({
      at: time("Beginning of the period."),
      exchanges: whole("Guarded exchanges."),
      interventions: whole("Interventions."),
    }),
    "By hour; by day for `7d`.",
  ),
});

const verdict = orNull(
  object({
    step: whole("Index of the step."),
    detector,
    rung,
    count: whole("How often."),
    note: text("What was seen."),
  }),
);

const dryRun = object({
  policy: text("The policy that was tried."),
  against: text("The one it was compared with."),
  total: whole("Conversations or threads that were judged."),
  changed: whole("Those that end differently."),
  results: list(
    object({
      id: text("Index or id of the conversation, or the id of the session."),
      thread: orNull(text("The thread; null for a posted conversation.")),
      steps: whole("Steps that were judged."),
      before: object(
        { findings: whole("Interventions."), last: verdict },
        { description: "By the policy it was compared with." },
      ),
      after: object(
        { findings: whole("Interventions."), last: verdict },
        { description: "By the policy that was tried." },
      ),
      earliestDifference: orNull(object({ step: whole("Index of the step."), before: verdict, after: verdict })),
    }),
    "One for each, in the order they were given.",
  ),
  unreadable: list(text("An index."), "Posted conversations that could not be read."),
});

const explanation = object({
  policy: text("The policy that the request would get."),
  mode,
  rule: orNull(text("The rule that chose them; null for the operator's defaults.")),
  rollout: orNull(
    object({
      percent: amount("Per cent of sessions that are enforced."),
      arm: orNull(oneOf(["enforced", "held-out"], "Side of this session; null if none was named.")),
    }),
  ),
  upstream: text("Where the request would go."),
  considered: list(
    object({
      rule: text("The rule."),
      matched: yesNo("Whether it matched."),
      because: text("The condition that decided."),
    }),
    "The rules in order, up to the first that matched.",
  ),
});

const reload = object({
  at: time("When."),
  ok: yesNo("Whether the file was taken; if not, the earlier configuration still holds."),
  problems: list(text("One mistake, with its place and cure."), "What was wrong."),
});

const status = object({
  version: text("The version of Unloop."),
  actor: text("Who asks: the token's name; `loopback` where no token is needed."),
  role: oneOf(["read", "operate"], "What the token may do."),
  tenant: orNull(text("The only tenant that the token sees; null for all.")),
  mode,
  policy: text("The policy where no rule chooses one."),
  store: oneOf(["memory", "shared"], "Whether other processes share the sessions."),
  config: orNull(
    object({
      file: text("The configuration file."),
      lastReload: reload,
      lastSuccessAt: time("When a file was taken last."),
    }),
  ),
});

const configuration = object({
  mode,
  policy: text("The policy where no rule chooses one."),
  rules: list(
    { type: "object", description: "A rule as the file has it." },
    "In order; the first that matches chooses.",
  ),
  routes: list(
    object({ prefix: text("Beginning of the path."), upstream: text("Where it leads.") }),
    "Upstreams by path.",
  ),
  clients: list(
    object({ name: text("The client key's name."), tenant: text("Its tenant.") }),
    "Client keys; no key, no hash.",
  ),
});

/** What requests and answers consist of, by name. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Error: object({
    error: object({ code: text("Stable; for programs."), message: text("For people: what is wrong, and the cure.") }),
  }),
  Session: object(session),
  SessionPage: object({
    sessions: list(ref("Session"), "Newest first."),
    next: orNull(text("`cursor` of the next page; null at the end.")),
  }),
  SessionDetail: object({ ...session, lineages: list(thread, "Its threads that are still remembered.") }),
  Act: object({ reason }),
  Contain: object(
    {
      reason,
      minutes: {
        type: "integer",
        minimum: 1,
        maximum: 10_080,
        default: 1_440,
        description: "How long it holds unless it is released.",
      },
    },
    { optional: ["minutes"] },
  ),
  Entry: entry,
  EntryPage: object({
    entries: list(ref("Entry"), "Newest first."),
    next: orNull(text("`before` of the next page; null at the end.")),
  }),
  Analytics: analytics,
  Status: status,
  Configuration: configuration,
  PolicyList: object({
    policies: list(
      object({ name: text("Its name."), source: oneOf(["preset", "file"], "Where it comes from.") }),
      "Presets, and policies of the configuration file.",
    ),
  }),
  Policy: { type: "object", description: "The whole policy, as docs/configuration.md describes it." },
  ExplainRequest: object(
    {
      path: text("Path of the request; `/v1/chat/completions` without it."),
      headers: mapOf(text("A value."), "Its headers, such as `user-agent`."),
      model: text("The model that it names."),
      client: text("Name of its client key."),
      tenant: text("Its tenant."),
      session: text("Id of its session, for the side of a rollout."),
    },
    { optional: ["path", "headers", "model", "client", "tenant", "session"] },
  ),
  Explanation: explanation,
  DryRunRequest: object(
    {
      policy: { description: "The policy to try: a name, or a policy as JSON." },
      against: {
        description: "What to compare it with: a name, or a policy as JSON; the operator's default without it.",
      },
      conversations: list(
        { description: "A request body, or a list of messages." },
        "Judged from their first step on.",
      ),
      sessions: {
        anyOf: [{ const: "recent" }, { type: "array", items: { type: "string" }, maxItems: 500 }],
        description: "Ids of sessions, or `recent` for the newest 200: their remembered steps are judged.",
      },
    },
    { optional: ["against", "conversations", "sessions"] },
  ),
  DryRun: dryRun,
  ...decideSchemas,
};
