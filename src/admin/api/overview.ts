import { get } from "./operation.ts";
import { LIST_PRICES_AT, type SessionView } from "./session-view.ts";
import { FILTERS, scanSessions, sinceAsked } from "./sessions.ts";
import { show } from "./view.ts";

/** Sessions that are summed up. */
interface Group {
  readonly name: string;
  readonly members: readonly SessionView[];
}

const sumOf = (amounts: Readonly<Record<string, number>>) => Object.values(amounts).reduce((all, one) => all + one, 0);
const tokensOf = ({ tokens }: SessionView) => tokens.input + tokens.output;
/** The sum of an amount, or how many sessions a condition holds for. */
const sumIn = ({ members }: Group, amountOf: (session: SessionView) => number | boolean): number =>
  members.reduce((all, session) => all + Number(amountOf(session)), 0);
const total = (about: string, amountOf: (session: SessionView) => number | boolean) =>
  show.whole(about, (group: Group) => sumIn(group, amountOf));
/** Null where no model has a price. */
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

export const sumsRow = show.view<Group>()({ name: show.text("Its name.", ({ name }) => name), ...sums });

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
      show.each(show.named("Sums", sumsRow), "Those with most tokens inside loops first, 20 at most.", (group: Group) =>
        rowsOf(group, namesOf),
      ),
    ]),
  ),
  "The same by `unread`, the entries of histories that are not understood, and by what else sessions have in common.",
);

const pricedBy = (about: string, basis: SessionView["pricedBy"]) =>
  show.whole(about, ({ members }: Group) => members.filter((one) => one.pricedBy === basis).length);

const prices = show.view<Group>()({
  policy: pricedBy("Sessions priced by their policy.", "policy"),
  list: pricedBy("Sessions priced by vendors' list prices, in US dollars.", "list"),
  none: pricedBy("Sessions whose model has no price.", null),
  listAt: show.text("Month of the list prices.", () => LIST_PRICES_AT),
});

const answer = show.view<{ readonly group: Group }>()({
  from: show.orNull(show.time("Beginning of the window; null without one.")),
  to: show.time("Now."),
  isWhole: show.yesNo("All sessions were looked through; else the newest 5,000."),
  states: show.counts("How many sessions are in each state.", ({ group }) => statesOf(group)),
  total: show.part(show.view<Group>()(sums), ({ group }) => group),
  by: show.part(by, ({ group }) => group),
  prices: show.part(prices, ({ group }) => group),
});

/** Sums over the sessions that are asked for. */
export const overview = get(
  "/overview",
  "Sums over sessions.",
  answer,
  async (call) => {
    const { views: members, next } = await scanSessions(call);
    return { group: { name: "", members }, from: sinceAsked(call), to: call.now(), isWhole: next === null };
  },
  FILTERS,
);

function statesOf({ members }: Group): Readonly<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { state } of members) states[state] = (states[state] ?? 0) + 1;
  return states;
}

const loopTokensIn = (group: Group) => sumIn(group, ({ loopTokens }) => loopTokens);

function rowsOf({ members }: Group, namesOf: (session: SessionView) => readonly string[]): readonly Group[] {
  const groups = new Map<string, SessionView[]>();
  for (const one of members)
    for (const name of namesOf(one)) (groups.get(name) ?? groups.set(name, []).get(name))?.push(one);
  return [...groups]
    .map(([name, own]) => ({ name, members: own }))
    .sort((a, b) => loopTokensIn(b) - loopTokensIn(a) || b.members.length - a.members.length)
    .slice(0, MAX_ROWS);
}
