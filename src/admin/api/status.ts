import { shownConfiguration, visiblePolicyNames } from "../../proxy/proxy.ts";
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
