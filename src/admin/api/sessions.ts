import { readLedger, withPendingCounted } from "../../session/session.ts";
import type { DirectoryEntry, SessionKey } from "../../store/store.ts";
import { type ApiCall, badRequest, limitOf, notFound } from "./context.ts";
import { type SessionView, sessionView, threadsOf, threadView } from "./session-view.ts";

/** How many entries of the directory one call looks through for those that are asked for. */
const MAX_LOOKED_THROUGH = 5_000;
const BATCH = 200;

export async function listSessions(call: ApiCall) {
  const limit = limitOf(call);
  const isAsked = filterOf(call);
  const sessions: SessionView[] = [];
  let cursor = call.query("cursor");
  if (cursor !== undefined && !/^\d+(\.\d+)?:/.test(cursor)) throw badRequest("cursor must be the `next` of a page.");
  for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH) {
    const page = await call.stores.directory.page(BATCH, cursor);
    for (const [i, entry] of page.entries.entries()) {
      const view = viewOf(call, entry);
      if (!isAsked(view)) continue;
      sessions.push(view);
      if (sessions.length < limit) continue;
      const isLast = page.next === undefined && i === page.entries.length - 1;
      return { sessions, next: isLast ? null : `${entry.at}:${entry.key}` };
    }
    cursor = page.next;
    if (cursor === undefined) return { sessions, next: null };
  }
  return { sessions, next: cursor ?? null };
}

function filterOf(call: ApiCall): (view: SessionView) => boolean {
  const { query, actor } = call;
  const [q, tenant, agent, policy] = ["q", "tenant", "agent", "policy"].map(query);
  const [state, rung] = [query("state"), query("rung")];
  if (state !== undefined && !["looping", "contained", "healthy"].includes(state))
    throw badRequest("state must be looping, contained or healthy.");
  return (view) =>
    (actor.tenant === undefined || view.tenant === actor.tenant) &&
    (q === undefined || view.name.includes(q)) &&
    (tenant === undefined || view.tenant === tenant) &&
    (agent === undefined || view.agent.toLowerCase().startsWith(agent.toLowerCase())) &&
    (policy === undefined || view.policy === policy) &&
    (state === undefined || stateOf(view) === state) &&
    (rung === undefined || Object.hasOwn(view.interventions, rung));
}

function stateOf({ containment, loop }: SessionView): string {
  if (containment !== null) return "contained";
  return loop === null ? "healthy" : "looping";
}

function viewOf({ control }: ApiCall, entry: DirectoryEntry): SessionView {
  return sessionView(entry, control.containmentOf(entry.key));
}

/** The session of the path, if who asks may see it. */
export async function sessionEntry({ stores, id, actor }: ApiCall): Promise<DirectoryEntry> {
  const entry = await stores.directory.find(id as SessionKey);
  // Another tenant's session is none: its very existence is not told.
  if (entry === undefined || (actor.tenant !== undefined && entry.fields.tenant !== actor.tenant))
    throw notFound("such session; it may have expired");
  return entry;
}

export async function sessionNow(call: ApiCall): Promise<SessionView> {
  return viewOf(call, await sessionEntry(call));
}

export async function readSession(call: ApiCall) {
  const entry = await sessionEntry(call);
  const { terms, policyNamed, sign } = call.control;
  const evaluation = { sign, policy: policyNamed(entry.fields.policy ?? "") ?? terms().policy };
  const keys = threadsOf(entry.fields);
  const stored = await Promise.all(keys.map(async (key) => ({ key, record: await call.stores.sessions.read(key) })));
  const lineages = stored.flatMap(({ key, record }) => {
    const ledger = record === undefined ? undefined : readLedger(record.json);
    return ledger === undefined ? [] : [threadView(key, withPendingCounted(ledger, evaluation))];
  });
  return { ...viewOf(call, entry), lineages };
}
