import type { RequestFacts, RuleTerms, Ruleset } from "../config/config.ts";
import { rolloutArm } from "../config/config.ts";
import { protocolFor } from "../protocols/protocols.ts";
import type { Configuration } from "./guard-context.ts";
import { routeOf } from "./http/routes.ts";

/** A request as an operator describes it. */
export interface ExplainedRequest {
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
export function explain(question: ExplainedRequest, { rules, routes }: Configuration): Explanation {
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
export function visiblePolicies(
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
export function ruleConfiguration(
  { rules, routes, clients }: Configuration,
  lastUsed: ReadonlyMap<string, number>,
): object {
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
