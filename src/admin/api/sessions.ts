import { readLedger, sessionLabel, withPendingCounted } from "../../session/session.ts";
import {
  type Directory,
  type DirectoryEntry,
  type DirectoryFilter,
  matches,
  newestFirst,
  partsOfPosition,
  positionOf,
  type SessionKey,
} from "../../store/store.ts";
import { type ApiCall, badRequest, limitOf, notFound } from "./context.ts";
import {
  type SessionState,
  sessionStates,
  type SessionView,
  sessionView,
  threadsOf,
  threadView,
} from "./session-view.ts";

export async function listSessions(call: ApiCall) {
  const limit = limitOf(call);
  const cursor = call.query("cursor");
  if (cursor !== undefined && !/^\d+(\.\d+)?:/.test(cursor)) throw badRequest("cursor must be the `next` of a page.");
  const state = stateAsked(call);
  const isOfOthers =
    call.actor.tenant !== undefined && (call.query("tenant") ?? call.actor.tenant) !== call.actor.tenant;
  if (isOfOthers) return { sessions: [], next: null };
  const directory = state === "contained" ? containedSessions(call) : call.stores.directory;
  const { entries, next = null } = await directory.page(limit, cursor, filterOf(call, state));
  const sessions = entries.map((entry) => viewOf(call, entry));
  return { sessions: sessions.filter((view) => state === undefined || view.state === state), next };
}

function stateAsked({ query }: ApiCall): SessionState | undefined {
  const state = query("state");
  return sessionStates.find((one) => one === state);
}

function filterOf({ query, actor, control }: ApiCall, state: SessionState | undefined): DirectoryFilter | undefined {
  const [q, agent, policy, rung] = ["q", "agent", "policy", "rung"].map(query);
  const tenant = actor.tenant ?? query("tenant");
  const fillsLoop = state === "healthy" ? false : state === "looping" || state === "ended" ? true : undefined;
  const counted = [...(rung === undefined ? [] : [rung]), ...(state === "cut" ? ["cut"] : [])];
  const filter: DirectoryFilter = {
    ...((tenant ?? policy) !== undefined && {
      equal: { ...(tenant !== undefined && { tenant }), ...(policy !== undefined && { policy }) },
    }),
    ...(q !== undefined && { containing: { name: sessionLabel(q, control.sign) } }),
    ...(agent !== undefined && { beginning: { agent } }),
    ...(fillsLoop !== undefined && { filled: { loop: fillsLoop } }),
    ...(counted.length > 0 && { counted }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** Contained sessions are few and their keys are in memory, so each is looked up by its key. */
function containedSessions({ control, stores }: ApiCall): Pick<Directory, "page"> {
  return {
    async page(limit, before, filter = {}) {
      const pageEntries = await Promise.all(control.contained().map((key) => stores.directory.find(key)));
      const behind = before === undefined ? undefined : partsOfPosition(before);
      const entries = pageEntries
        .filter((entry) => entry !== undefined)
        .filter((entry) => matches(entry, filter) && (behind === undefined || newestFirst(behind, entry) < 0))
        .sort(newestFirst);
      const last = entries[limit - 1];
      return { entries: entries.slice(0, limit), next: entries.length > limit && last ? positionOf(last) : undefined };
    },
  };
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
