import { shownConfiguration, visiblePolicyNames } from "../../proxy/proxy.ts";
import { get } from "./operation.ts";
import { ABOUT, MODES } from "./session-view.ts";
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
  routes: show.maybe(show.each(route, "Upstreams by path prefix; `/` is for all other paths.")),
  clients: show.maybe(show.each(client, "Client keys; no key, no hash.")),
});

export const status = get(
  "/status",
  "The token in use, and the running configuration, without keys and hashes.",
  answer,
  async ({ version, actor: { name: actor, role, tenant }, guard, stores, warnings = () => [] }) => {
    const { mode, policy: standard, configStatus } = guard().configuration;
    // What is configured for all, and what is wrong with it, is of all tenants.
    const ofAll = tenant === undefined;
    return {
      ...{ version, actor, role, tenant, mode, policy: standard.name, policies: visiblePolicyNames(guard(), tenant) },
      store: stores.isShared ? "shared" : "memory",
      config: ofAll ? (configStatus ?? null) : null,
      warnings: ofAll ? warnings() : [],
      ...(ofAll && { ...(await shownConfiguration(guard())) }),
    };
  },
);
