import { explainRequest, shownConfiguration, visiblePolicyNames } from "../../proxy/proxy.ts";
import type { AlertDestination } from "../alerts/alerts.ts";
import { anyText, optional } from "../../shapes/shapes.ts";
import { byLowerCase } from "./decide.ts";
import { body, headerFields } from "./inputs.ts";
import { get, post, refuseTenants } from "./operation.ts";
import { ABOUT, ARMS, MODES } from "./session-view.ts";
import { show } from "./view.ts";

const reload = show.view()({
  at: show.time("When."),
  ok: show.yesNo("Whether the file was applied; if not, the earlier configuration stays in force."),
  problems: show.texts("What was wrong, each with its place and cure."),
  needsRestart: show.texts("The changes in the file that need a restart."),
});

const config = show.view()({
  file: show.text("The configuration file."),
  revision: show.text("Digest of the configuration in force; replicas that agree have the same one."),
  lastReload: show.part(reload),
  lastSuccessAt: show.time("When a file was last applied."),
});

/** A destination of alerts as operators see it: without its address, which is a secret as a rule. */
const alert = show.view<AlertDestination>()({
  name: show.text("Its name."),
  on: show.texts("Which events send a message."),
  policies: show.maybe(show.texts("Only under these policies.")),
  rules: show.maybe(show.texts("Only if one of these rules matched.")),
  tenants: show.maybe(show.texts("Only for these tenants.")),
  detectors: show.maybe(show.texts("Only for loops that these detectors find.")),
});

const client = show.view()({
  name: show.text("The client key's name."),
  tenant: show.text("Its tenant."),
  models: show.maybe(show.anything("Patterns of the models that it may ask; one, or a list.")),
  requestsPerMinute: show.maybe(show.whole("Its limit.")),
  expires: show.orNull(show.time("From then on it is refused.")),
  lastUsed: show.orNull(show.time("Its last request of the last 30 days, to the minute.")),
});

const policy = show.view()({
  name: show.text("Its name."),
  source: show.oneOf(["preset", "file"], "Where it comes from."),
});
const route = show.view()({
  prefix: show.text("Beginning of the path."),
  upstream: show.text("The upstream's base URL."),
});

const answer = show.view()({
  version: show.text("The version of Unloop."),
  actor: show.text("The token's name; `loopback` if no token is needed."),
  role: show.oneOf(["read", "operate"], "What the token may do."),
  tenant: show.orNull(show.text("The only tenant that the token sees; null for all.")),
  mode: show.oneOf(MODES, ABOUT.mode),
  policy: show.text("The policy if no rule matches."),
  policies: show.each(policy, "Presets, and policies of the configuration file."),
  store: show.oneOf(["memory", "shared"], "Whether other processes share the sessions."),
  warnings: show.texts(
    "What is wrong with the deployment, such as an open relay or a store that does not answer, each with its cure.",
  ),
  config: show.orNull(show.part(config)),
  // Of all tenants: nothing of it to a token that is limited to one.
  rules: show.maybe(show.each(show.object("A rule as written in the file."), "In order; the first match applies.")),
  routes: show.maybe(show.each(route, "Upstreams by path prefix.")),
  alerts: show.maybe(show.each(alert, "Destinations of alerts; no address, no secret.")),
  clients: show.maybe(show.each(client, "Client keys; no key, no hash.")),
});

export const status = get(
  "/status",
  "The token in use, and the running configuration, without keys and hashes.",
  answer,
  async ({ version, actor: { name: actor, role, tenant }, guard, stores, alerts, warnings = () => [] }) => {
    const { mode, policy: standard, configStatus } = guard().configuration;
    // What is configured for all, and what is wrong with it, is of all tenants.
    const ofAll = tenant === undefined;
    return {
      ...{ version, actor, role, tenant, mode, policy: standard.name, policies: visiblePolicyNames(guard(), tenant) },
      store: stores.isShared ? "shared" : "memory",
      config: ofAll ? (configStatus ?? null) : null,
      warnings: ofAll ? warnings() : [],
      ...(ofAll && { ...(await shownConfiguration(guard())), alerts: alerts() }),
    };
  },
);

const rollout = show.view()({
  percent: show.amount("Percentage of sessions that are enforced."),
  arm: show.orNull(show.oneOf(ARMS, "Side of this session; null if none was named.")),
});

const considered = show.view()({
  rule: show.text("The rule."),
  matched: show.yesNo("Whether it matched."),
  because: show.text("The condition that decided."),
});

const explanation = show.view()({
  policy: show.text("The policy that the request would get."),
  mode: show.oneOf(MODES, ABOUT.mode),
  rule: show.orNull(show.text("The matching rule; null for the operator's defaults.")),
  rollout: show.orNull(show.part(rollout)),
  upstream: show.text("The path the request would have."),
  considered: show.each(considered, "The rules in order, up to the first that matched."),
});

/** A token of one tenant asks for its own requests, and sees of the rules only the one that they fall under. */
export const explain = post(
  "/explain",
  "Which policy and mode a request would get, and why.",
  body({
    path: optional(anyText, "Path of the request; by default `/v1/chat/completions`."),
    headers: optional(headerFields, "Its headers, such as `user-agent`."),
    model: optional(anyText, "The model that it names."),
    client: optional(anyText, "Name of its client key."),
    tenant: optional(anyText, "Its tenant."),
    session: optional(anyText, "Id of its session, for the side of a rollout."),
  }),
  explanation,
  (call) => {
    const { guard, actor, body: question } = call;
    const { path, model, client: name, tenant, session, headers } = question;
    const { clients } = guard().configuration;
    const isOwn = clients.some((one) => one.name === name && (actor.tenant ?? one.tenant) === one.tenant);
    const isOthers = name !== undefined && !isOwn;
    if (isOthers || (tenant !== undefined && tenant !== actor.tenant)) refuseTenants(call);
    const asked = { path, model, client: name, tenant: actor.tenant ?? tenant, session, headers: byLowerCase(headers) };
    const given = explainRequest(asked, guard());
    if (actor.tenant === undefined) return given;
    return { ...given, considered: given.considered.filter(({ matched }) => matched) };
  },
);
