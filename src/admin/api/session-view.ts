import { type Containment, readLoop, type StateAt, stateOfThreads } from "../../activity/activity.ts";
import { anyText, object, optional, readRecord, type ValueOf, yesOrNo } from "../../shapes/shapes.ts";
import { type ApiCall, visiblePolicy } from "./operation.ts";
import type { DirectoryEntry, ThreadKey } from "../../store/store.ts";
import { costOf, type Policy, type Price, priceFor } from "../../policy/policy.ts";

export const LIST_PRICES_AT = "2025-11";

/** In whole currency units, and where the price is from. @param policy under which it was judged, where that is still there */
function costUnder(policy: Policy | undefined, model: string, sums: DirectoryEntry["sums"]) {
  const own = priceFor(policy?.prices ?? {}, model);
  const price = own ?? priceFor(listPrices, model);
  const { inputTokens = 0, outputTokens = 0, cachedTokens: cachedInputTokens = 0 } = sums;
  const tokens = { inputTokens, outputTokens, cachedInputTokens };
  const pricedBy = own === undefined ? ("list" as const) : ("policy" as const);
  return price === undefined ? { cost: null, pricedBy: null } : { cost: costOf(price, tokens) / 1e6, pricedBy };
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
export const ARMS = ["enforced", "held-out"] as const;

const word = { actor: anyText, reason: anyText, at: anyText };
const release = object(word);
const feedback = object({ ...word, right: yesOrNo, detector: optional(anyText) });

export type OperatorWord = ValueOf<typeof release>;
export type Feedback = ValueOf<typeof feedback>;

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

export const isoTime = (at: number) => new Date(at).toISOString();

export type SessionView = ReturnType<typeof sessionView>;

export function sessionView(entry: DirectoryEntry, call: Circumstances) {
  const { key, at, fields, sums } = entry;
  const text = (name: string) => fields[name] ?? "";
  const textOrNull = (name: string) => fields[name] || null;
  const sum = (name: string) => Math.round(sums[name] ?? 0);
  const sumsBehind = (prefix: string, isMeant = (_rest: string) => true): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(sums)
        .filter(([name]) => name.startsWith(prefix) && isMeant(name.slice(prefix.length)))
        .map(([name, amount]) => [name.slice(prefix.length), amount]),
    );
  const order = orderFor(key, call);
  const loop = readLoop(fields.loop) ?? null;
  const { state, at: stateAt } = stateOf(entry, call);
  const { cost, pricedBy } = costUnder(visiblePolicy(text("policy"), call.guard()), text("model"), sums);
  return {
    id: key,
    name: text("name"),
    source: text("source"),
    tenant: text("tenant"),
    client: textOrNull("client"),
    agent: text("agent"),
    model: text("model"),
    tool: textOrNull("tool"),
    wire: text("wire"),
    policy: text("policy"),
    mode: text("mode") || "enforce",
    rule: textOrNull("rule"),
    arm: ARMS.find((one) => one === fields.arm) ?? null,
    firstSeenAt: isoTime(Number(fields.firstSeenAt ?? at)),
    lastSeenAt: isoTime(at),
    requests: sum("requests"),
    steps: sum("steps"),
    threads: threadsOf(entry).length,
    tokens: { cached: sum("cachedTokens"), input: sum("inputTokens"), output: sum("outputTokens") },
    cost,
    pricedBy,
    loopTokens: sum("loopTokens"),
    interventions: sumsBehind("", isRung),
    observed: sumsBehind("observe:"),
    keptBack: sum("keptBack"),
    answered: sum("answered"),
    avoidedTokens: sum("avoidedTokens"),
    failing: textOrNull("failing"),
    failures: sumsBehind("failed:"),
    state,
    stateAt: isoTime(stateAt),
    why: order?.reason ?? (LED_BY_LOOP.includes(state) ? (loop?.note ?? "") : ""),
    loop,
    blocked: fields.mode === "enforce" && statesIn(fields).some((name) => /^(ended|forced) /.test(text(name))),
    verdict: text("verdict"),
    unread: textOrNull("unread"),
    feedback: readRecord(feedback, fields.feedback) ?? null,
    released: readRecord(release, fields.released) ?? null,
    containment: order === undefined ? null : shownOrder(order),
  };
}

function shownOrder({ actor, reason, at, until }: Containment) {
  return { actor, reason, at: isoTime(at), until: isoTime(until) };
}
