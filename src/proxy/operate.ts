import { resetDirective } from "../activity/activity.ts";
import { type Policy, presetNamed, presetNames } from "../policy/policy.ts";
import { releaseThread } from "../session/session.ts";
import type { SessionKey, ThreadKey } from "../store/store.ts";
import type { Configuration, GuardContext } from "./guard-context.ts";

/** @param tenant a tenant that is to see no policy of others alone */
export function visiblePolicy(name: string, { configuration }: GuardContext, tenant?: string): Policy | undefined {
  return visiblePolicies(configuration, tenant).get(name) ?? presetNamed(name);
}

export function visiblePolicyNames({ configuration }: GuardContext, tenant?: string) {
  return [
    ...presetNames.map((name) => ({ name, source: "preset" as const })),
    ...[...visiblePolicies(configuration, tenant).keys()].map((name) => ({ name, source: "file" as const })),
  ];
}

/** The file's policies; for a tenant only those that its own requests may be judged by. */
function visiblePolicies({ policy, rules, clients, filePolicies }: Configuration, tenant?: string) {
  if (tenant === undefined) return filePolicies;
  const own = clients.filter((client) => client.tenant === tenant).map(({ name }) => name);
  const names = new Set([policy.name, ...rules.policiesFor(tenant, own)]);
  return new Map([...filePolicies].filter(([name]) => names.has(name)));
}

/** Lifts a containment, and every block in these threads. @param policy by which they were judged */
export async function liftBlocks(
  key: SessionKey,
  threads: readonly ThreadKey[],
  policy: Policy,
  { services: { containments, sign, sessionTtlMs }, stores: { sessions } }: GuardContext,
): Promise<void> {
  await containments.lift(key);
  await Promise.all(threads.map((thread) => releaseThread(sessions, thread, { sign, policy }, sessionTtlMs)));
}

/** A little longer than processes take to hear of a directive, and how long a reset is announced to them. */
const [HEARD_MS, RESET_TOLD_MS] = [600, 60_000];

/** Forgets these threads, and what the session has used up. */
export async function forgetThreads(
  key: SessionKey,
  threads: readonly ThreadKey[],
  { services: { containments, sessionTtlMs }, stores: { directives, sessions, counters, isShared } }: GuardContext,
): Promise<void> {
  await directives.put(resetDirective(key), String(Date.now()), RESET_TOLD_MS);
  await containments.refresh();
  // What another process knows of it alone, it drops when it hears of this; until then it might write that back.
  if (isShared) await new Promise((resolve) => setTimeout(resolve, HEARD_MS));
  await Promise.all(threads.map((thread) => sessions.remove(thread)));
  const totals = Object.entries(await counters.read(key));
  const negative = Object.fromEntries(totals.map(([name, amount]) => [name, -amount]));
  if (totals.length > 0) await counters.add(key, negative, sessionTtlMs);
}

/** Without keys and hashes. */
export async function shownConfiguration({ configuration, services, clientUse }: GuardContext): Promise<object> {
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
