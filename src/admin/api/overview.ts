import { visiblePolicy } from "../../proxy/proxy.ts";
import { costOf, priceFor } from "../../policy/policy.ts";
import { type ApiCall, get } from "./operation.ts";
import { LIST_PRICES_AT, type SessionView } from "./session-view.ts";
import { FILTERS, scanSessions, sinceAsked } from "./sessions.ts";
import { show } from "./view.ts";

interface Group {
  readonly name: string;
  readonly members: readonly SessionView[];
}

const sumOf = (amounts: Readonly<Record<string, number>>) => Object.values(amounts).reduce((all, one) => all + one, 0);
const tokensOf = ({ tokens }: SessionView) => tokens.input + tokens.output;
const sumIn = ({ members }: Group, amountOf: (session: SessionView) => number | boolean): number =>
  members.reduce((all, session) => all + Number(amountOf(session)), 0);
const total = (about: string, amountOf: (session: SessionView) => number | boolean) =>
  show.whole(about, (group: Group) => sumIn(group, amountOf));
const costTotal = (about: string, shareOf: (session: SessionView) => number) =>
  show.orNull(show.amount(about), (group: Group) =>
    group.members.every(({ cost }) => cost === null) ? null : sumIn(group, (one) => (one.cost ?? 0) * shareOf(one)),
  );
const hasStopped = (amounts: SessionView["interventions"]) => sumOf(amounts) > (amounts.nudge ?? 0);

const sums = {
  sessions: total("Sessions.", () => 1),
  looped: total("Of them, those with a loop.", ({ loop }) => loop !== null),
  tokens: total("Tokens in and out.", tokensOf),
  loopTokens: total("Tokens inside loops.", ({ loopTokens }) => loopTokens),
  cost: costTotal("Cost of the tokens; null where no model has a price.", () => 1),
  loopCost: costTotal("Cost of those inside loops.", (one) => one.loopTokens / Math.max(1, tokensOf(one))),
  interventions: total("Interventions.", ({ interventions }) => sumOf(interventions)),
  observed: total("Those that enforce mode would have made.", ({ observed }) => sumOf(observed)),
  stopped: total("Sessions that Unloop has forced to finish, ended or cut off.", (one) =>
    hasStopped(one.interventions),
  ),
  wouldHaveStopped: total(
    "Others that enforce mode would have.",
    ({ interventions, observed }) => !hasStopped(interventions) && hasStopped(observed),
  ),
  keptBack: total(
    "Answers with a repeated call that no agent got, and requests that no model got.",
    (one) => one.keptBack,
  ),
  avoidedTokens: total("Tokens of those requests, at the least.", ({ avoidedTokens }) => avoidedTokens),
  failures: total("Requests that the upstream did not answer.", ({ failures }) => sumOf(failures)),
  right: total("Sessions whose intervention operators called right.", ({ feedback }) => feedback?.right === true),
  wrong: total("Those that they called wrong.", ({ feedback }) => feedback?.right === false),
};

export const sumsRow = show.view<Group>()({ name: show.text("Its name."), ...sums });

/** What sessions are summed up by; a session with several of one kind counts under each. */
const KINDS: Readonly<Record<string, (session: SessionView) => readonly string[]>> = {
  agent: ({ agent }) => [agent],
  tenant: ({ tenant }) => [tenant],
  model: ({ model }) => [model],
  policy: ({ policy }) => [policy],
  tool: ({ loop }) => [...new Set(loop?.tools)],
  detector: ({ loop }) => (loop === null ? [] : [loop.detector]),
  unread: ({ unread }) => (unread === null ? [] : [unread]),
};
const MAX_ROWS = 20;

const by = show.view<Group>()(
  Object.fromEntries(
    Object.entries(KINDS).map(([kind, namesOf]) => [
      kind,
      show.each(
        show.named("Sums", sumsRow),
        "Those with most tokens inside loops first, 20 at most.",
        ({ members }: Group) => rowsOf(members, namesOf),
      ),
    ]),
  ),
  "The same by `unread`, the entries of histories that are not understood, and by what else sessions have in common.",
);

function groupsBy(members: Group["members"], namesOf: (session: SessionView) => readonly string[]): readonly Group[] {
  const groups = new Map<string, SessionView[]>();
  for (const one of members)
    for (const name of namesOf(one)) (groups.get(name) ?? groups.set(name, []).get(name))?.push(one);
  return [...groups].map(([name, own]) => ({ name, members: own }));
}

const loopTokensIn = (group: Group) => sumIn(group, ({ loopTokens }) => loopTokens);
const rowsOf = (...grouped: Parameters<typeof groupsBy>) =>
  groupsBy(...grouped)
    .toSorted((a, b) => loopTokensIn(b) - loopTokensIn(a) || b.members.length - a.members.length)
    .slice(0, MAX_ROWS);

const pricedBy = (about: string, basis: SessionView["pricedBy"]) =>
  total(about, (session) => session.pricedBy === basis);

const prices = show.view<Group>()({
  policy: pricedBy("Sessions priced by their policy.", "policy"),
  list: pricedBy("Sessions priced by vendors' list prices, in US dollars.", "list"),
  none: pricedBy("Sessions whose model has no price.", null),
  listAt: show.text("Month of the list prices.", () => LIST_PRICES_AT),
});

/** Sessions that each side of a rollout needs: fewer say nothing. */
const LEAST_SESSIONS = 30;
/** Of the normal distribution, at 97.5 %. */
const Z = 1.96;

const difference = show.view<NonNullable<ReturnType<typeof compareSides>>>()(
  {
    enforced: show.amount("Mean of the enforced sessions."),
    heldOut: show.amount("Mean of those that are held out."),
    saved: show.number("What an enforced session saves; below zero if the guard cost more than it saved."),
    low: show.number("Lower end of its 95 % interval; below zero, it may be chance."),
    high: show.number("Upper end of its 95 % interval."),
  },
  "By session; null with fewer than 30 sessions on a side. Times `enforced` it is what all of them save.",
);

/** Means of both sides, and their difference with its interval. @returns undefined where a side has too few sessions for that */
export function compareSides(enforced: readonly number[], heldOut: readonly number[]) {
  if (Math.min(enforced.length, heldOut.length) < LEAST_SESSIONS) return undefined;
  const [a, b] = [meanOf(enforced), meanOf(heldOut)];
  const reach = Z * Math.sqrt(a.variance + b.variance);
  const saved = b.mean - a.mean;
  return { enforced: a.mean, heldOut: b.mean, saved, low: saved - reach, high: saved + reach };
}

function meanOf(amounts: readonly number[]) {
  const { length } = amounts;
  const mean = amounts.reduce((sum, one) => sum + one, 0) / length;
  const spread = amounts.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { mean, variance: spread / (length - 1) / length };
}

type Rollout = Group & Pick<ApiCall, "guard" | "query">;

const sideOf = ({ members }: Group, arm: SessionView["arm"]) => members.filter((one) => one.arm === arm);
const compared = (group: Group, amountOf: (session: SessionView) => number) =>
  compareSides(sideOf(group, "enforced").map(amountOf), sideOf(group, "held-out").map(amountOf));

const rollout = show.view<Rollout>()({
  policy: show.text("The policy.", ({ name }) => name),
  enforced: show.whole("Its enforced sessions.", (group) => sideOf(group, "enforced").length),
  heldOut: show.whole("Its sessions that are held out.", (group) => sideOf(group, "held-out").length),
  tokens: show.orNull(show.part(difference), (group: Rollout) => compared(group, tokensOf)),
  cost: show.orNull(show.part(difference), costsOf),
});

/** One price for both sides, whatever models they asked: else a change of models would pass for a saving. */
function costsOf(group: Rollout) {
  const { guard, query, name } = group;
  const judged = [visiblePolicy(name, guard()), guard().configuration.policy].find((one) => one?.name === name);
  const price = priceFor(judged?.prices ?? {}, query("model") ?? "*");
  return (
    price &&
    compared(group, ({ tokens: { input: inputTokens, output: outputTokens, cached: cachedInputTokens } }) => {
      return costOf(price, { inputTokens, outputTokens, cachedInputTokens }) / 1e6;
    })
  );
}

const answer = show.view<{ readonly group: Group; readonly call: ApiCall }>()({
  from: show.orNull(show.time("Beginning of the window; null without one."), ({ call }) => sinceAsked(call)),
  to: show.time("Now.", ({ call }) => call.now()),
  isWhole: show.yesNo("All sessions were looked through; else the newest 5,000."),
  states: show.counts("How many sessions are in each state.", ({ group: { members } }) =>
    Object.fromEntries(groupsBy(members, ({ state }) => [state]).map((one) => [one.name, one.members.length])),
  ),
  total: show.part(show.view<Group>()(sums), ({ group }) => group),
  by: show.part(by, ({ group }) => group),
  prices: show.part(prices, ({ group }) => group),
  rollouts: show.each(
    rollout,
    "What the guard saves under each policy that is rolled out by percentage: its enforced sessions beside those that it holds out, at one price: that of the asked `model`, else of `*`.",
    ({ group, call }) =>
      groupsBy(group.members, ({ arm, policy }) => (arm === null ? [] : [policy])).map((one) => ({ ...call, ...one })),
  ),
});

export const overview = get(
  "/overview",
  "Sums over sessions, and what rollouts save. A token that is limited to a tenant gets its own.",
  answer,
  async (call) => {
    const { views: members, next } = await scanSessions(call);
    return { group: { name: "", members }, call, isWhole: next === null };
  },
  FILTERS,
);
