import { costOf, presetNames, priceFor } from "../../policy/policy.ts";
import type { GuardContext } from "../../proxy/proxy.ts";
import { type ApiCall, get, visiblePolicies, visiblePolicy } from "./operation.ts";
import { isoTime, LIST_PRICES_AT, type SessionView } from "./session-view.ts";
import { FILTERS, scanSessions, sinceAsked } from "./sessions.ts";

type Members = readonly SessionView[];

const sumOf = (amounts: Readonly<Record<string, number>>) => Object.values(amounts).reduce((all, one) => all + one, 0);
const tokensOf = ({ tokens }: SessionView) => tokens.input + tokens.output;
const total = (members: Members, amountOf: (session: SessionView) => number | boolean): number =>
  members.reduce((all, session) => all + Number(amountOf(session)), 0);
const hasStopped = (amounts: SessionView["interventions"]) => sumOf(amounts) > (amounts.nudge ?? 0);

function sumsOf(members: Members) {
  const sum = (amountOf: (session: SessionView) => number | boolean) => total(members, amountOf);
  const costTotal = (shareOf: (session: SessionView) => number) =>
    members.every(({ cost }) => cost === null) ? null : sum((one) => (one.cost ?? 0) * shareOf(one));
  return {
    sessions: members.length,
    looped: sum(({ loop }) => loop !== null),
    tokens: sum(tokensOf),
    loopTokens: sum(({ loopTokens }) => loopTokens),
    cost: costTotal(() => 1),
    loopCost: costTotal((one) => one.loopTokens / Math.max(1, tokensOf(one))),
    interventions: sum(({ interventions }) => sumOf(interventions)),
    observed: sum(({ observed }) => sumOf(observed)),
    stopped: sum(({ interventions }) => hasStopped(interventions)),
    wouldHaveStopped: sum(({ interventions, observed }) => !hasStopped(interventions) && hasStopped(observed)),
    keptBack: sum(({ keptBack }) => keptBack),
    avoidedTokens: sum(({ avoidedTokens }) => avoidedTokens),
    failures: sum(({ failures }) => sumOf(failures)),
    right: sum(({ feedback }) => feedback?.right === true),
    wrong: sum(({ feedback }) => feedback?.right === false),
  };
}

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

function groupsBy(members: Members, namesOf: (session: SessionView) => readonly string[]) {
  const groups = new Map<string, SessionView[]>();
  for (const one of members)
    for (const name of namesOf(one)) (groups.get(name) ?? groups.set(name, []).get(name))?.push(one);
  return [...groups];
}

/** Those with most tokens inside loops first. */
const rowsOf = (...grouped: Parameters<typeof groupsBy>) =>
  groupsBy(...grouped)
    .map(([name, members]) => ({ name, ...sumsOf(members) }))
    .sort((a, b) => b.loopTokens - a.loopTokens || b.sessions - a.sessions)
    .slice(0, MAX_ROWS);

/** Sessions that each side of a rollout needs: fewer say nothing. */
const LEAST_SESSIONS = 30;
/** Of the normal distribution, at 97.5 %. */
const Z = 1.96;

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

/** Enforced sessions of a policy beside those that it holds out. */
function rolloutOf(policy: string, members: Members, call: ApiCall) {
  const sideOf = (arm: SessionView["arm"]) => members.filter((one) => one.arm === arm);
  const [enforced, heldOut] = [sideOf("enforced"), sideOf("held-out")];
  const compared = (amountOf: (session: SessionView) => number) =>
    compareSides(enforced.map(amountOf), heldOut.map(amountOf)) ?? null;
  const price = comparedPrice(policy, call);
  const costsOf = ({ tokens: { input: inputTokens, output: outputTokens, cached: cachedInputTokens } }: SessionView) =>
    price === undefined ? 0 : costOf(price, { inputTokens, outputTokens, cachedInputTokens }) / 1e6;
  return {
    ...{ policy, enforced: enforced.length, heldOut: heldOut.length },
    tokens: compared(tokensOf),
    cost: price === undefined ? null : compared(costsOf),
  };
}

/** One price for both sides, whatever models they asked: else a change of models would pass for a saving. */
function comparedPrice(name: string, { guard, query }: ApiCall) {
  const judged = [visiblePolicy(name, guard()), guard().configuration.policy].find((one) => one?.name === name);
  return priceFor(judged?.prices ?? {}, query("model") ?? "*");
}

export const overview = get(
  "/overview",
  async (call) => {
    const { views: members, next } = await scanSessions(call);
    const since = sinceAsked(call);
    const pricedBy = (basis: SessionView["pricedBy"]) => total(members, (one) => one.pricedBy === basis);
    const states = groupsBy(members, ({ state }) => [state]).map(([state, own]) => [state, own.length]);
    return {
      from: since === undefined ? null : isoTime(since),
      to: isoTime(call.now()),
      isWhole: next === null,
      states: Object.fromEntries(states),
      total: sumsOf(members),
      by: Object.fromEntries(Object.entries(KINDS).map(([kind, namesOf]) => [kind, rowsOf(members, namesOf)])),
      prices: { policy: pricedBy("policy"), list: pricedBy("list"), none: pricedBy(null), listAt: LIST_PRICES_AT },
      rollouts: groupsBy(members, ({ arm, policy }) => (arm === null ? [] : [policy])).map(([policy, own]) =>
        rolloutOf(policy, own, call),
      ),
    };
  },
  FILTERS,
);

export const status = get(
  "/status",
  async ({ version, actor: { name: actor, role, tenant = null }, guard, stores, warnings = () => [] }) => {
    const { mode, policy: standard, configStatus } = guard().configuration;
    // What is configured for all, and what is wrong with it, is of all tenants.
    const ofAll = tenant === null;
    return {
      ...{ version, actor, role, tenant, mode, policy: standard.name },
      policies: visiblePolicyNames(guard(), tenant ?? undefined),
      store: stores.isShared ? "shared" : "memory",
      config: ofAll ? (configStatus ?? null) : null,
      warnings: ofAll ? warnings() : [],
      ...(ofAll && (await shownConfiguration(guard()))),
    };
  },
);

function visiblePolicyNames({ configuration }: GuardContext, tenant?: string) {
  return [
    ...presetNames.map((name) => ({ name, source: "preset" as const })),
    ...[...visiblePolicies(configuration, tenant).keys()].map((name) => ({ name, source: "file" as const })),
  ];
}

/** Without keys and hashes. */
async function shownConfiguration({ configuration, services, clientUse }: GuardContext): Promise<object> {
  const { rules, routes, clients } = configuration;
  // The rest is told without the store, too.
  const lastUsed = await services.inBackground(() => clientUse.lastUsed());
  const timeOf = (at: number | undefined) => (at === undefined ? null : isoTime(at));
  return {
    rules: rules.texts,
    routes: [...routes.byPrefix, { prefix: "/", upstream: routes.otherwise }].map(({ prefix, upstream }) => ({
      ...{ prefix, upstream: upstream.href },
    })),
    clients: clients.map(({ name, tenant, expires, models, requestsPerMinute }) => ({
      ...{ name, tenant, models, requestsPerMinute },
      expires: timeOf(expires),
      lastUsed: timeOf(lastUsed?.get(name)),
    })),
  };
}
