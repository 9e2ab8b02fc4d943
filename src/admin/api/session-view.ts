import { visiblePolicy } from "../../proxy/proxy.ts";
import {
  type Containment,
  type LoopEntry,
  loopShape,
  readLoop,
  runStates,
  type StateAt,
  stateOfThreads,
} from "../../activity/activity.ts";
import { anyText, described, object, optional, readRecord, type ValueOf, yesOrNo } from "../../shapes/shapes.ts";
import type { ApiCall } from "./operation.ts";
import { show } from "./view.ts";
import type { DirectoryEntry, ThreadKey } from "../../store/store.ts";
import { costOf, type Policy, type Price, priceFor } from "../../policy/policy.ts";

export const LIST_PRICES_AT = "2025-11";

/** In whole currency units, and where the price is from. @param policy under which it was judged, where that is still there */
function costUnder(policy: Policy | undefined, model: string, sums: DirectoryEntry["sums"]) {
  const own = priceFor(policy?.prices ?? {}, model);
  const price = own ?? priceFor(listPrices, model);
  const { inputTokens = 0, outputTokens = 0, cachedTokens: cachedInputTokens = 0 } = sums;
  const tokens = { inputTokens, outputTokens, cachedInputTokens };
  return price && { cost: costOf(price, tokens) / 1e6, pricedBy: own ? ("policy" as const) : ("list" as const) };
}

const price = (input: number, output: number, cachedInput: number): Price => ({ input, output, cachedInput });

/** Vendors' list prices of a million tokens, in US dollars, for models that a policy gives no price for. */
const listPrices: Readonly<Record<string, Price>> = {
  "gpt-5*": price(1.25, 10, 0.125),
  "gpt-5-mini*": price(0.25, 2, 0.025),
  "gpt-4o": price(2.5, 10, 1.25),
  "claude-opus-4*": price(15, 75, 1.5),
  "claude-opus-4-5*": price(5, 25, 0.5),
  "claude-sonnet-4*": price(3, 15, 0.3),
  "claude-haiku-4-5*": price(1, 5, 0.1),
  "gemini-2.5-pro*": price(1.25, 10, 0.125),
  "gemini-2.5-flash*": price(0.3, 2.5, 0.03),
};

export const RUNGS = ["nudge", "force-done", "short-circuit", "cut"] as const;
export const MODES = ["enforce", "observe", "off"] as const;
export const ARMS = ["enforced", "held-out"] as const;

export const ABOUT = {
  detector: "The detector's name, such as `repeated-call`; `runaway-output` for an answer that was cut off.",
  grade: "A kind of the detector's findings with a ladder of its own, such as `failing`.",
  rung: "How hard the guard intervened, or would have in observe mode.",
  note: "What was seen, in one sentence; no text of the conversation.",
  tools: "The loop's tools.",
  loop: "Equal for findings of the same loop.",
  mode: "How the policy is applied.",
  arm: "Side of a rollout by percentage; null without a rollout.",
} as const;

export const interventionFields = {
  detector: show.text(ABOUT.detector),
  grade: show.orNull(show.text(ABOUT.grade)),
  rung: show.oneOf(RUNGS, ABOUT.rung),
  count: show.whole("How often it had happened."),
  loop: show.text(ABOUT.loop),
  note: show.text(ABOUT.note),
};

const word = {
  actor: described(anyText, "Who did it."),
  reason: described(anyText, "Why."),
  at: described(anyText, "When."),
};
const release = described(object(word), "An operator's last release.");
const feedback = object({
  ...word,
  right: described(yesOrNo, "Whether the intervention was right."),
  detector: optional(anyText, ABOUT.detector),
});

export type OperatorWord = ValueOf<typeof release>;
export type Feedback = ValueOf<typeof feedback>;

const containment = show.view<Containment>()({
  actor: show.text("Who contained it."),
  reason: show.text("Why."),
  at: show.time("Start time."),
  until: show.time("When the containment ends by itself."),
});

export interface SeenSession extends StateAt, Partial<NonNullable<ReturnType<typeof costUnder>>> {
  readonly entry: DirectoryEntry;
  readonly containment: Containment | undefined;
  readonly loop: LoopEntry | undefined;
}

type Circumstances = Pick<ApiCall, "guard" | "now">;

const orderFor = (key: DirectoryEntry["key"], { guard }: Circumstances) => guard().services.containments.all().get(key);

export function stateOf({ key, at, fields }: DirectoryEntry, call: Circumstances): StateAt {
  const order = orderFor(key, call);
  if (order !== undefined) return { state: "contained", at: order.at };
  const texts = statesIn(fields).map((name) => fields[name] ?? "");
  return stateOfThreads(texts, at, call.now());
}

/** States that come from the session's loop, whose note says why. */
const LED_BY_LOOP: readonly StateAt["state"][] = ["looping", "warned", "forced", "ended", "cut", "recovered"];

export function statesIn(fields: DirectoryEntry["fields"]): readonly string[] {
  return Object.keys(fields).filter((name) => /^state\d+$/.test(name));
}

/** The threads that a directory entry names: its own by their names alone, others by their keys. */
export function threadsOf({ key, fields }: Pick<DirectoryEntry, "key" | "fields">): readonly ThreadKey[] {
  const names = Object.entries(fields).flatMap(([name, value]) => (/^thread\d+$/.test(name) ? [value] : []));
  return names.map((name) => (name.includes(".") ? name : `${key}.${name}`) as ThreadKey);
}

const isRung = (name: string) => RUNGS.some((rung) => rung === name);
const said = (name: string, about: string) => show.text(about, ({ entry }: SeenSession) => entry.fields[name] ?? "");
const saidOrNull = (name: string, about: string) =>
  show.orNull(show.text(about), ({ entry }: SeenSession) => entry.fields[name] || null);
const sum = (name: string, about: string) =>
  show.whole(about, ({ entry }: SeenSession) => Math.round(entry.sums[name] ?? 0));
/** Sums whose names begin alike, by the rest of their names. */
const sumsBehind = (prefix: string, about: string, isMeant = (_rest: string) => true) =>
  show.counts(about, ({ entry: { sums } }: SeenSession) => {
    const named: Record<string, number> = {};
    for (const name of Object.keys(sums)) {
      const rest = name.slice(prefix.length);
      if (name.startsWith(prefix) && isMeant(rest)) named[rest] = sums[name] ?? 0;
    }
    return named;
  });

const tokens = show.view<SeenSession>()(
  {
    cached: sum("cachedTokens", "Of the tokens in, those from the provider's cache."),
    input: sum("inputTokens", "Tokens in."),
    output: sum("outputTokens", "Tokens out."),
  },
  "As far as answers reported their usage.",
);

export const sessionView = show.view<SeenSession>()({
  id: show.text("Identifies the session in this API; opaque, safe in a URL.", ({ entry }) => entry.key),
  name: said("name", "The client's name for it, or a name derived from its beginning."),
  source: said("source", "Where the name comes from: `header:<name>`, `url:<form>`, `body:<path>` or `derived`."),
  tenant: said("tenant", "The tenant: as the configuration names it, or a signature of its credential."),
  client: saidOrNull("client", "Name of its client key; null without client keys."),
  agent: said(
    "agent",
    "What the agent calls itself in `x-unloop-agent` or `x-title`, else what its headers or its user agent say; empty where that is no more than a library.",
  ),
  model: said("model", "The model of its newest request."),
  tool: saidOrNull("tool", "The tool that its newest answer calls first; null where none has called any."),
  wire: said("wire", "The wire format of its newest request, such as `chat-completions` or `messages`."),
  policy: said("policy", "The policy that its newest request was judged by."),
  mode: show.oneOf(MODES, ABOUT.mode, ({ entry }) => MODES.find((one) => one === entry.fields.mode) ?? "enforce"),
  rule: saidOrNull("rule", "The matching rule of the configuration file; null for the operator's defaults."),
  arm: show.orNull(show.oneOf(ARMS, ABOUT.arm), ({ entry }) => ARMS.find((one) => one === entry.fields.arm)),
  firstSeenAt: show.time("Its first request.", ({ entry: { at, fields } }) => Number(fields.firstSeenAt ?? at)),
  lastSeenAt: show.time("Its newest request.", ({ entry }) => entry.at),
  requests: sum("requests", "Guarded requests."),
  steps: sum("steps", "Assistant turns, over all threads."),
  threads: show.whole(
    "Conversations within it: of the agent, and of each sub-agent.",
    (seen) => threadsOf(seen.entry).length,
  ),
  tokens: show.part(tokens, (seen) => seen),
  cost: show.orNull(
    show.amount("Cost of the tokens, in US dollars where the price is a vendor's list price; null without a price."),
  ),
  pricedBy: show.orNull(show.oneOf(["policy", "list"] as const, "Where the price is from.")),
  loopTokens: sum("loopTokens", "Tokens of exchanges with an intervention, or with one in observe mode."),
  interventions: sumsBehind("", "Interventions by rung.", isRung),
  observed: sumsBehind("observe:", "What would have been done in enforce mode, by rung."),
  keptBack: sum(
    "keptBack",
    "Answers with a repeated call that the agent never got, and requests that the model never got.",
  ),
  answered: sum("answered", "Requests that Unloop has answered in the model's place."),
  avoidedTokens: sum("avoidedTokens", "Tokens of those requests, at the least."),
  failing: saidOrNull("failing", "Its newest request was not answered: the status, or why none came."),
  failures: sumsBehind("failed:", "Requests that the upstream did not answer, by status."),
  state: show.oneOf(
    runStates,
    "The most pressing of its threads: `running`; `looping`: it goes on with a loop, also in observe mode; `warned`, and the loop has not gone on; `recovered`: five steps without the loop; `forced` to finish; `ended` by Unloop; `cut`: its newest answer ran away; `failing`: the upstream did not answer its newest request; `contained` by an operator; `done`: it has given its answer; `idle`: no request for ten minutes. In observe mode none is `warned`, `forced`, `ended` or `cut`.",
  ),
  stateAt: show.time(
    "When that began, as far as the process that answered its newest request has seen it.",
    ({ at }) => at,
  ),
  why: show.text("What led to it: what was seen of the loop, or an operator's reason; else empty.", whyOf),
  loop: show.orNull(show.part(show.as(described(loopShape, "The newest loop of the session.")))),
  blocked: show.yesNo(
    "Unloop has ended or forced a thread of it, and no user message or operator has lifted that since, so it can be released.",
    ({ entry: { fields } }) =>
      fields.mode === "enforce" && statesIn(fields).some((name) => /^(ended|forced) /.test(fields[name] ?? "")),
  ),
  verdict: said("verdict", "Verdict of its newest exchange, as in `x-unloop-verdict`."),
  unread: saidOrNull(
    "unread",
    "Where its newest request has no step that is understood, so that no loop can be seen: the kind of the first entry of its history that is not, such as `item_reference`.",
  ),
  feedback: show.orNull(show.part(show.as(feedback)), ({ entry }) => readRecord(feedback, entry.fields.feedback)),
  released: show.orNull(show.part(show.as(release)), ({ entry }) => readRecord(release, entry.fields.released)),
  containment: show.orNull(show.part(containment)),
});
export type SessionView = ReturnType<typeof sessionView.of>;

function whyOf({ state, loop: seen, containment: order }: SeenSession): string {
  return order?.reason ?? (LED_BY_LOOP.includes(state) ? (seen?.note ?? "") : "");
}

export function seenSession(entry: DirectoryEntry, call: Circumstances): SeenSession {
  const { key, fields, sums } = entry;
  const cost = costUnder(visiblePolicy(fields.policy ?? "", call.guard()), fields.model ?? "", sums);
  return { entry, containment: orderFor(key, call), loop: readLoop(fields.loop), ...cost, ...stateOf(entry, call) };
}
