import { resetDirective } from "../activity/activity.ts";
import { UnloopError } from "../errors.ts";
import { type Policy, presetNamed, presetNames } from "../policy/policy.ts";
import { protocolFor } from "../protocols/protocols.ts";
import { releaseThread } from "../session/session.ts";
import type { SessionKey, Stores, ThreadKey, Totals } from "../store/store.ts";
import { decideAlone, type DecideQuestion } from "./evaluate-only.ts";
import type { Configuration, GuardContext } from "./guard-context.ts";
import { type RequestFacts, rolloutArm, type Ruleset, type RuleTerms } from "../config/config.ts";
import { routeOf } from "./http/endpoint.ts";

/** Control of a running guard, for operators. */
export type GuardControl = ReturnType<typeof guardControl>;

/** A little longer than processes take to hear of a directive. */
const HEARD_MS = 600;
/** Time for which a reset is announced to the other processes. */
const RESET_TOLD_MS = 60_000;

export function guardControl(current: () => GuardContext, stores: Stores) {
  const { directives, sessions, counters } = stores;
  const services = () => current().services;
  const configuration = () => current().configuration;
  return {
    /** With what only this process knows; reading from it makes it known to all. */
    stores,
    services,
    configuration,
    /** @param tenant a tenant that is to see no policy of others alone */
    policyNamed: (name: string, tenant?: string): Policy | undefined =>
      visiblePolicies(configuration(), tenant).get(name) ?? presetNamed(name),
    policyNames: (tenant?: string) => [
      ...presetNames.map((name) => ({ name, source: "preset" as const })),
      ...[...visiblePolicies(configuration(), tenant).keys()].map((name) => ({ name, source: "file" as const })),
    ],
    /** Which policy and mode a request would get, and why. */
    explain: (request: ExplainedRequest) => explain(request, configuration()),
    /** Decision on a request that another program sends; undefined for one that cannot be read. */
    decide: (question: DecideQuestion) => decideAlone(question, current()),
    /** A share of the bytes of request bodies that the process holds at once. @param owner who sends the body */
    openBody(owner: string) {
      const { take, release } = current().bodyBudget.open(owner);
      return { take: (bytes: number) => takeOrRefuse(take(bytes)), release };
    },
    /** What is configured, without keys and hashes, and when each client key was last used. */
    async shownConfiguration() {
      // The rest is told without the store, too.
      const lastUsed = await services().inBackground(() => current().clientUse.lastUsed());
      return ruleConfiguration(configuration(), lastUsed ?? new Map());
    },
    /** Lifts a containment, and every block in these threads. @param policy by which they were judged */
    async release(key: SessionKey, threads: readonly ThreadKey[], policy: Policy) {
      await services().containments.lift(key);
      const { sign, sessionTtlMs } = services();
      await Promise.all(threads.map((thread) => releaseThread(sessions, thread, { sign, policy }, sessionTtlMs)));
    },
    /** Forgets these threads, and what the session has used up. */
    async reset(key: SessionKey, threads: readonly ThreadKey[]) {
      await directives.put(resetDirective(key), String(Date.now()), RESET_TOLD_MS);
      await services().containments.refresh();
      // What another process knows of it alone, it drops when it hears of this; until then it might write that back.
      if (stores.isShared) await new Promise((resolve) => setTimeout(resolve, HEARD_MS));
      await Promise.all(threads.map((thread) => sessions.remove(thread)));
      const totals = await counters.read(key);
      if (Object.keys(totals).length > 0) await counters.add(key, negative(totals), services().sessionTtlMs);
    },
  };
}

function takeOrRefuse(isTaken: boolean): void {
  if (!isTaken)
    throw new UnloopError("overloaded", "The request bodies in flight use all the memory reserved for them.");
}

function negative(totals: Totals): Totals {
  return Object.fromEntries(Object.entries(totals).map(([name, amount]) => [name, -amount]));
}

/** A request as an operator describes it. */
interface ExplainedRequest {
  readonly path: string | undefined;
  readonly model: string | undefined;
  readonly client: string | undefined;
  readonly tenant: string | undefined;
  /** Key of its session, for the side of a rollout. */
  readonly session: string | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Explanation {
  readonly policy: string;
  readonly mode: string;
  readonly rule: string | null;
  readonly rollout: { readonly percent: number; readonly arm: string | null } | null;
  readonly upstream: string;
  readonly considered: ReturnType<Ruleset["explain"]>["considered"];
}

/** Which policy and mode a request would get, and why. */
function explain(question: ExplainedRequest, { rules, routes }: Configuration): Explanation {
  const { path = "/v1/chat/completions", model = "", client, tenant, session, headers } = question;
  const header = (name: string) => (Object.hasOwn(headers, name) ? headers[name] : undefined);
  const facts: RequestFacts = { path, header, tenant, client };
  const { terms, considered } = rules.explain(facts, model);
  const wire = protocolFor({ method: "POST", path, header })?.name;
  const { upstream } = routeOf(routes, { target: path, wire, header });
  return {
    policy: terms.policy.name,
    mode: terms.mode,
    rule: terms.rule ?? null,
    rollout: rolloutOf(terms, session),
    upstream: upstream.href,
    considered,
  };
}

function rolloutOf({ rollout: percent, rule }: RuleTerms, session: string | undefined): Explanation["rollout"] {
  if (percent === undefined) return null;
  return { percent, arm: session === undefined ? null : rolloutArm(session, rule ?? "", percent) };
}

/** The file's policies; for a tenant only those that its own requests may be judged by. */
function visiblePolicies(
  { policy, rules, clients, filePolicies }: Configuration,
  tenant: string | undefined,
): Configuration["filePolicies"] {
  if (tenant === undefined) return filePolicies;
  const own = clients.filter((client) => client.tenant === tenant).map(({ name }) => name);
  const names = new Set([policy.name, ...rules.policiesFor(tenant, own)]);
  return new Map([...filePolicies].filter(([name]) => names.has(name)));
}

const isoTime = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());

/** What is configured, without keys and hashes. @param lastUsed of client keys by name; Unix time, milliseconds */
function ruleConfiguration({ rules, routes, clients }: Configuration, lastUsed: ReadonlyMap<string, number>): object {
  return {
    rules: rules.texts,
    routes: routes.byPrefix.map(({ prefix, upstream }) => ({ prefix, upstream: upstream.href })),
    clients: clients.map(({ name, tenant, expires, models, requestsPerMinute }) => ({
      ...{ name, tenant, models, requestsPerMinute },
      expires: isoTime(expires),
      lastUsed: isoTime(lastUsed.get(name)),
    })),
  };
}
