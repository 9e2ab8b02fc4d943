import type { Count, SpentCount } from "../../activity/activity.ts";
import { costOf, type Price, priceFor } from "../../policy/policy.ts";
import type { ApiCall } from "./context.ts";
import { type HoldOutDifference, holdOutDifference } from "./hold-out.ts";
import { type Counted, countedIn } from "./periods.ts";

/** The tokens of the sessions of one group of one side. */
interface RunUsage {
  sessions: number;
  input: number;
  cached: number;
  output: number;
  avoided: number;
}

/** Kinds of sums that savings rest on. */
const KINDS: readonly string[] = ["sessions", "tokens", "outputTokens", "cachedTokens", "avoidedTokens"];

/** Savings by policy: measured where a rollout holds sessions out, else estimated; `basis` says which. */
export async function savings(call: ApiCall) {
  const { periods, ...range } = await countedIn(call);
  const tallies = periods.flatMap((period) => period.counted);
  const names = new Set(tallies.flatMap(({ what }) => (isSpent(what) ? [what.policy] : [])));
  const model = call.query("model") ?? "*";
  return {
    ...range,
    policies: [...names].map((policy) => savedUnder(policy, tallies, priceIn(call, policy, model))),
  };
}

interface PriceBase extends Price {
  readonly model: string;
}

/** One price for both sides, whatever models they asked: else a change of models would pass for a saving. */
function priceIn({ control }: ApiCall, name: string, model: string): PriceBase | undefined {
  const policy = control.policyNamed(name) ?? control.terms().policy;
  const price = policy.name === name ? priceFor(policy.prices ?? {}, model) : undefined;
  return price && { model, ...price };
}

function savedUnder(policy: string, tallies: readonly Counted[], price: PriceBase | undefined) {
  const [all, enforced, heldOut] = ["", "enforced", "held-out"].map((arm) => groupsOf(policy, arm, tallies));
  const sides = { enforced: enforced ?? [], heldOut: heldOut ?? [] };
  const tokens = compared(sides, tokensOf);
  const cost = price && compared(sides, (usage) => priced(usage, price));
  const sessions = { enforced: sessionsIn(sides.enforced), heldOut: sessionsIn(sides.heldOut) };
  const avoided = [...(all ?? []), ...sides.enforced].reduce((sum, one) => sum + one.avoided, 0);
  const common = {
    policy,
    sessions: { ...sessions, others: sessionsIn(all ?? []) },
    avoidedTokens: Math.round(avoided),
    price: price ?? null,
  };
  if (tokens === undefined) return { ...common, ...estimated(avoided, price) };
  return {
    ...common,
    basis: "hold-out",
    method: HOLD_OUT,
    perSession: rounded(tokens),
    saved: {
      tokens: times(tokens, sessions.enforced),
      cost: cost === undefined ? null : times(cost, sessions.enforced, MILLIONTH),
    },
  };
}

const HOLD_OUT =
  "Measured: tokens of a session that is held out less those of one that is enforced, times the enforced sessions; low and high are the ends of a 95 % interval.";
const ESTIMATE =
  "An estimate, not measured: input tokens of the requests that were answered here in place of the upstream, at the price of cached input; what would have come after them is unknown. A rollout that holds sessions out measures it.";

/** Costs are in millionths. */
const MILLIONTH = 1e-6;

function estimated(avoided: number, price: PriceBase | undefined) {
  const exact = (value: number) => ({ value, low: null, high: null });
  const cost = price && avoided * (price.cachedInput ?? price.input) * MILLIONTH;
  return {
    basis: "estimate",
    method: ESTIMATE,
    perSession: null,
    saved: { tokens: exact(Math.round(avoided)), cost: cost === undefined ? null : exact(cost) },
  };
}

function times({ difference, low, high }: HoldOutDifference, sessions: number, unit = 1) {
  const product = (one: number) => (unit === 1 ? Math.round(one * sessions) : one * sessions * unit);
  return { value: product(difference), low: product(low), high: product(high) };
}

function rounded({ enforced, heldOut, difference, low, high }: HoldOutDifference) {
  const [a, b, c, d, e] = [enforced, heldOut, difference, low, high].map(Math.round);
  return { enforced: a, heldOut: b, difference: c, low: d, high: e };
}

function compared(
  { enforced, heldOut }: { readonly enforced: readonly RunUsage[]; readonly heldOut: readonly RunUsage[] },
  amount: (usage: RunUsage) => number,
): HoldOutDifference | undefined {
  const sums = (groups: readonly RunUsage[]) => groups.map((one) => ({ sessions: one.sessions, amount: amount(one) }));
  return holdOutDifference(sums(enforced), sums(heldOut));
}

const tokensOf = ({ input, output }: RunUsage): number => input + output;

function priced({ input, cached, output }: RunUsage, price: Price): number {
  return costOf(price, { inputTokens: input, outputTokens: output, cachedInputTokens: cached });
}

function sessionsIn(groups: readonly RunUsage[]): number {
  return groups.reduce((sum, { sessions }) => sum + sessions, 0);
}

function groupsOf(policy: string, arm: string, tallies: readonly Counted[]): readonly RunUsage[] {
  const groups = new Map<number, RunUsage>();
  for (const { what, amount } of tallies) {
    if (!isSpent(what) || what.policy !== policy || what.arm !== arm) continue;
    const { kind, group = 0 } = what;
    const usage = groups.get(group) ?? { sessions: 0, input: 0, cached: 0, output: 0, avoided: 0 };
    groups.set(group, usage);
    if (kind === "sessions") usage.sessions += amount;
    if (kind === "tokens") usage.input += amount;
    if (kind === "outputTokens") usage.output += amount;
    if (kind === "outputTokens") usage.input -= amount;
    if (kind === "cachedTokens") usage.cached += amount;
    if (kind === "avoidedTokens") usage.avoided += amount;
  }
  return [...groups.values()];
}

function isSpent(what: Count): what is SpentCount {
  return KINDS.includes(what.kind);
}
