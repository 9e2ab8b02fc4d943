import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import { type ApiCall, isoTime } from "./context.ts";
import type { SessionView } from "./session-view.ts";
import { scanSessions, sinceAsked } from "./sessions.ts";

interface Sums {
  sessions: number;
  looped: number;
  tokens: number;
  loopTokens: number;
  cost: number | null;
  loopCost: number | null;
  right: number;
  wrong: number;
}

/** What sessions are summed up by; a session with several of one kind counts under each. */
const KINDS: Readonly<Record<string, (view: SessionView) => readonly string[]>> = {
  agent: ({ agent }) => [agent],
  tenant: ({ tenant }) => [tenant],
  model: ({ model }) => [model],
  policy: ({ policy }) => [policy],
  tool: ({ loop }) => [...new Set(loop?.tools)],
  detector: ({ loop }) => (loop === null ? [] : [loop.detector]),
  unread: ({ unread }) => (unread === null ? [] : [unread]),
};
const MAX_ROWS = 20;

/** Sums over the sessions that are asked for. */
export async function overview(call: ApiCall) {
  const { views, next } = await scanSessions(call, Number.POSITIVE_INFINITY);
  const priced = views.map((view) => ({ view, ...pricedAs(view, call) }));
  const basis = (wanted: string) => priced.filter(({ by }) => by === wanted).length;
  const states: Record<string, number> = {};
  for (const { state } of views) states[state] = (states[state] ?? 0) + 1;
  const since = sinceAsked(call);
  return {
    from: since === undefined ? null : isoTime(since),
    to: isoTime(call.now()),
    isWhole: next === null,
    states,
    total: sumsOf(priced),
    by: Object.fromEntries(Object.entries(KINDS).map(([kind, namesOf]) => [kind, rowsOf(priced, namesOf)])),
    prices: { policy: basis("policy"), list: basis("list"), none: basis("none"), listAt: LIST_PRICES_AT },
  };
}

type Priced = { readonly view: SessionView } & ReturnType<typeof pricedAs>;

/** Cost of a session in whole currency units. @returns `by`: where the price is from */
function pricedAs({ policy: name, model, tokens }: SessionView, { control }: ApiCall) {
  const own = priceFor(control.policyNamed(name)?.prices ?? {}, model);
  const price = own ?? priceFor(listPrices, model);
  if (price === undefined) return { by: "none", cost: undefined };
  const { input: inputTokens, output: outputTokens, cached: cachedInputTokens } = tokens;
  return { by: own ? "policy" : "list", cost: costOf(price, { inputTokens, outputTokens, cachedInputTokens }) / 1e6 };
}

function rowsOf(priced: readonly Priced[], namesOf: (view: SessionView) => readonly string[]) {
  const groups = new Map<string, Priced[]>();
  for (const one of priced)
    for (const name of namesOf(one.view)) (groups.get(name) ?? groups.set(name, []).get(name))?.push(one);
  return [...groups]
    .map(([name, members]) => ({ name, ...sumsOf(members) }))
    .sort((a, b) => b.loopTokens - a.loopTokens || b.looped - a.looped || b.sessions - a.sessions)
    .slice(0, MAX_ROWS);
}

function sumsOf(priced: readonly Priced[]): Sums {
  const sums: Sums = {
    sessions: 0,
    looped: 0,
    tokens: 0,
    loopTokens: 0,
    cost: null,
    loopCost: null,
    right: 0,
    wrong: 0,
  };
  for (const { view, cost } of priced) {
    const tokens = view.tokens.input + view.tokens.output;
    sums.sessions += 1;
    if (view.loop !== null) sums.looped += 1;
    sums.tokens += tokens;
    sums.loopTokens += view.loopTokens;
    if (view.feedback !== null) sums[view.feedback.right ? "right" : "wrong"] += 1;
    if (cost === undefined) continue;
    sums.cost = (sums.cost ?? 0) + cost;
    sums.loopCost = (sums.loopCost ?? 0) + (tokens === 0 ? 0 : (cost * view.loopTokens) / tokens);
  }
  return sums;
}

/** When the prices below were read, as year and month. */
const LIST_PRICES_AT = "2025-11";

const row = (input: number, output: number, cachedInput: number) => ({ input, output, cachedInput });

/** Vendors' list prices of a million tokens, in US dollars, for models that a policy gives no price for. */
const listPrices: Readonly<Record<string, Price>> = {
  "gpt-5*": row(1.25, 10, 0.125),
  "gpt-5-mini*": row(0.25, 2, 0.025),
  "gpt-4o": row(2.5, 10, 1.25),
  "claude-opus-4*": row(15, 75, 1.5),
  "claude-opus-4-5*": row(5, 25, 0.5),
  "claude-sonnet-4*": row(3, 15, 0.3),
  "claude-haiku-4-5*": row(1, 5, 0.1),
  "gemini-2.5-pro*": row(1.25, 10, 0.125),
  "gemini-2.5-flash*": row(0.3, 2.5, 0.03),
};
