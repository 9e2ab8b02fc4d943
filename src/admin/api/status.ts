import type { AlertDestination } from "../alerts/alerts.ts";
import type { BodyOf } from "./inputs.ts";
import { type ApiCall, byLowerCase, refuseTenants } from "./context.ts";
import { ABOUT, ARMS, MODES } from "./session-view.ts";
import {
  asAmount,
  anything,
  asList,
  asOneOf,
  maybe,
  orNull,
  asIs,
  asText,
  asTexts,
  time,
  view,
  whole,
  yesNo,
} from "./view.ts";

const reload = view()({
  at: time("When."),
  ok: yesNo("Whether the file was applied; if not, the earlier configuration stays in force."),
  problems: asTexts("What was wrong, each with its place and cure."),
  needsRestart: asTexts("The changes in the file that need a restart."),
});

const config = view()({
  file: asText("The configuration file."),
  revision: asText("Digest of the configuration in force; replicas that agree have the same one."),
  lastReload: asIs(reload),
  lastSuccessAt: time("When a file was last applied."),
});

/** A destination of alerts as operators see it: without its address, which is a secret as a rule. */
const shownAlert = view<AlertDestination>()({
  name: asText("Its name."),
  on: asTexts("Which events send a message."),
  policies: maybe(asTexts("Only under these policies.")),
  rules: maybe(asTexts("Only if one of these rules matched.")),
  tenants: maybe(asTexts("Only for these tenants.")),
  detectors: maybe(asTexts("Only for loops that these detectors find.")),
});

const client = view()({
  name: asText("The client key's name."),
  tenant: asText("Its tenant."),
  models: maybe(anything("Patterns of the models that it may ask; one, or a list.")),
  requestsPerMinute: maybe(whole("Its limit.")),
  expires: orNull(asText("From then on it is refused.")),
  lastUsed: orNull(asText("Its last request of the last 30 days, to the minute.")),
});

const policyName = view()({ name: asText("Its name."), source: asOneOf(["preset", "file"], "Where it comes from.") });
const route = view()({ prefix: asText("Beginning of the path."), upstream: asText("The upstream's base URL.") });
const rule = { schema: { type: "object", description: "A rule as written in the file." } };

export const statusView = view()({
  version: asText("The version of Unloop."),
  actor: asText("The token's name; `loopback` if no token is needed."),
  role: asOneOf(["read", "operate"], "What the token may do."),
  tenant: orNull(asText("The only tenant that the token sees; null for all.")),
  mode: asOneOf(MODES, ABOUT.mode),
  policy: asText("The policy if no rule matches."),
  policies: asList(policyName, "Presets, and policies of the configuration file."),
  store: asOneOf(["memory", "shared"], "Whether other processes share the sessions."),
  warnings: asTexts(
    "What is wrong with the deployment, such as an open relay or a store that does not answer, each with its cure.",
  ),
  config: orNull(asIs(config)),
  // Of all tenants: nothing of it to a token that is limited to one.
  rules: maybe(asList(rule, "In order; the first match applies.")),
  routes: maybe(asList(route, "Upstreams by path prefix.")),
  alerts: maybe(asList(shownAlert, "Destinations of alerts; no address, no secret.")),
  clients: maybe(asList(client, "Client keys; no key, no hash.")),
});

export async function status({ version, actor, control, stores, alerts, warnings = () => [] }: ApiCall) {
  const { mode, policy } = control.terms();
  // What is configured for all, and what is wrong with it, is of all tenants.
  const ofAll = actor.tenant === undefined;
  return {
    version,
    actor: actor.name,
    role: actor.role,
    tenant: actor.tenant ?? null,
    mode,
    policy: policy.name,
    policies: control.policyNames(actor.tenant),
    store: stores.isShared ? "shared" : "memory",
    config: ofAll ? control.configStatus() : null,
    warnings: ofAll ? warnings() : [],
    ...(ofAll && { ...(await control.configuration()), alerts: alerts().map(shownAlert.of) }),
  };
}

const rollout = view()({
  percent: asAmount("Percentage of sessions that are enforced."),
  arm: orNull(asOneOf(ARMS, "Side of this session; null if none was named.")),
});

const considered = view()({
  rule: asText("The rule."),
  matched: yesNo("Whether it matched."),
  because: asText("The condition that decided."),
});

export const explanation = view()({
  policy: asText("The policy that the request would get."),
  mode: asOneOf(MODES, ABOUT.mode),
  rule: orNull(asText("The matching rule; null for the operator's defaults.")),
  rollout: orNull(asIs(rollout)),
  upstream: asText("The path the request would have."),
  considered: asList(considered, "The rules in order, up to the first that matched."),
});

/** A token of one tenant asks for its own requests, and sees of the rules only the one that they fall under. */
export function explain(call: ApiCall<BodyOf<"ExplainRequest">>) {
  const { control, actor, body } = call;
  const { path, model, client: name, tenant, session, headers } = body;
  const isOthers = name !== undefined && !control.clientsOf(actor.tenant).includes(name);
  if (isOthers || (tenant !== undefined && tenant !== actor.tenant)) refuseTenants(call);
  const asked = { path, model, client: name, tenant: actor.tenant ?? tenant, session, headers: byLowerCase(headers) };
  const given = control.explain(asked);
  if (actor.tenant === undefined) return given;
  return { ...given, considered: given.considered.filter(({ matched }) => matched) };
}
