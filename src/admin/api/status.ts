import { type Policy, presetNamed, presetNames } from "../../policy/policy.ts";
import type { GuardContext } from "../../proxy/proxy.ts";
import { get } from "./operation.ts";

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

/** @param tenant a tenant that is to see no policy of others alone */
export function visiblePolicy(name: string, { configuration }: GuardContext, tenant?: string): Policy | undefined {
  return visiblePolicies(configuration, tenant).get(name) ?? presetNamed(name);
}

function visiblePolicyNames({ configuration }: GuardContext, tenant?: string) {
  return [
    ...presetNames.map((name) => ({ name, source: "preset" as const })),
    ...[...visiblePolicies(configuration, tenant).keys()].map((name) => ({ name, source: "file" as const })),
  ];
}

/** The file's policies; for a tenant only those that its own requests may be judged by. */
function visiblePolicies({ policy, rules, clients, filePolicies }: GuardContext["configuration"], tenant?: string) {
  if (tenant === undefined) return filePolicies;
  const own = clients.filter((client) => client.tenant === tenant).map(({ name }) => name);
  const names = new Set([policy.name, ...rules.policiesFor(tenant, own)]);
  return new Map([...filePolicies].filter(([name]) => names.has(name)));
}

/** Without keys and hashes. */
async function shownConfiguration({ configuration, services, clientUse }: GuardContext): Promise<object> {
  const { rules, routes, clients } = configuration;
  // The rest is told without the store, too.
  const lastUsed = await services.inBackground(() => clientUse.lastUsed());
  const isoTime = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    rules: rules.texts,
    routes: [...routes.byPrefix, { prefix: "/", upstream: routes.otherwise }].map(({ prefix, upstream }) => ({
      ...{ prefix, upstream: upstream.href },
    })),
    clients: clients.map(({ name, tenant, expires, models, requestsPerMinute }) => ({
      ...{ name, tenant, models, requestsPerMinute },
      expires: isoTime(expires),
      lastUsed: isoTime(lastUsed?.get(name)),
    })),
  };
}
