import { type ApiCall, isoTime } from "./context.ts";
import { LIST_PRICES_AT, type SessionView } from "./session-view.ts";
import { scanSessions, sinceAsked } from "./sessions.ts";
import { asAmount, counts, each, asRef, orNull, part, asText, time, view, whole, yesNo } from "./view.ts";

/** Sessions that are summed up. */
export interface Group {
  readonly name: string;
  readonly members: readonly SessionView[];
}

const sumOf = (amounts: Readonly<Record<string, number>>) => Object.values(amounts).reduce((all, one) => all + one, 0);
const tokensOf = ({ tokens }: SessionView) => tokens.input + tokens.output;
/** The sum of an amount, or how many sessions a condition holds for. */
const sumIn = ({ members }: Group, amountOf: (session: SessionView) => number | boolean): number =>
  members.reduce((all, session) => all + Number(amountOf(session)), 0);
const total = (about: string, amountOf: (session: SessionView) => number | boolean) =>
  whole(about, (group: Group) => sumIn(group, amountOf));
/** Null where no model has a price. */
const costTotal = (about: string, shareOf: (session: SessionView) => number) =>
  orNull(asAmount(about), ({ members }: Group) => {
    const priced = members.filter(({ cost }) => cost !== null);
    return priced.length === 0
      ? null
      : priced.reduce((all, session) => all + (session.cost ?? 0) * shareOf(session), 0);
  });

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

const hasStopped = (amounts: SessionView["interventions"]) => sumOf(amounts) > (amounts.nudge ?? 0);

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

const groupView = view<Group>()(sums);
export const sumsRow = view<Group>()({ name: asText("Its name.", ({ name }) => name), ...sums });
const by = view<Group>()(
  Object.fromEntries(
    Object.entries(KINDS).map(([kind, namesOf]) => [
      kind,
      each(asRef("Sums", sumsRow), "Those with most tokens inside loops first, 20 at most.", (group: Group) =>
        rowsOf(group, namesOf),
      ),
    ]),
  ),
  "The same by `unread`, the entries of histories that are not understood, and by what else sessions have in common.",
);

const countBy = (members: Group["members"], basis: SessionView["pricedBy"]) =>
  members.filter(({ pricedBy }) => pricedBy === basis).length;

const prices = view<Group>()({
  policy: whole("Sessions priced by their policy.", ({ members }) => countBy(members, "policy")),
  list: whole("Sessions priced by vendors' list prices, in US dollars.", ({ members }) => countBy(members, "list")),
  none: whole("Sessions whose model has no price.", ({ members }) => countBy(members, null)),
  listAt: asText("Month of the list prices.", () => LIST_PRICES_AT),
});

export interface Overview {
  readonly group: Group;
  readonly since: number | undefined;
  readonly now: number;
  readonly isWhole: boolean;
}

export const overviewView = view<Overview>()({
  from: orNull(time("Beginning of the window; null without one."), ({ since }) =>
    since === undefined ? null : isoTime(since),
  ),
  to: time("Now.", ({ now }) => now),
  isWhole: yesNo("All sessions were looked through; else the newest 5,000."),
  states: counts("How many sessions are in each state.", ({ group }) => statesOf(group)),
  total: part(groupView, ({ group }) => group),
  by: part(by, ({ group }) => group),
  prices: part(prices, ({ group }) => group),
});

/** Sums over the sessions that are asked for. */
export async function overview(call: ApiCall) {
  const { views, next } = await scanSessions(call);
  return overviewView.of({
    group: { name: "", members: views },
    since: sinceAsked(call),
    now: call.now(),
    isWhole: next === null,
  });
}

function statesOf({ members }: Group): Readonly<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const session of members) states[session.state] = (states[session.state] ?? 0) + 1;
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
