import { type RunState, runStates } from "../../activity/activity.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Ledger,
  readLedger,
  withPendingCounted,
} from "../../session/session.ts";
import { type DirectoryEntry, type DirectoryFilter, positionOf, type SessionKey } from "../../store/store.ts";
import { turn } from "../../turns.ts";
import { type ApiCall, badRequest, limitOf, notFound } from "./context.ts";
import {
  LED_BY_LOOP,
  seenSession,
  sessionFields,
  type SessionView,
  sessionView,
  stateOf,
  threadsOf,
} from "./session-view.ts";
import { threadView } from "./thread-view.ts";
import { each, asList, asRef, orNull, asText, view } from "./view.ts";

/** Sessions that one call looks through at most, and those after which others have their turn. */
const MAX_SCANNED = 5_000;
const SLICE = 250;

export const sessionPage = view<{ readonly sessions: readonly SessionView[]; readonly next: string | null }>()({
  sessions: asList(asRef("Session", sessionView), "Newest first."),
  next: orNull(asText("`cursor` of the next page; null at the end.")),
});

export async function listSessions(call: ApiCall) {
  const limit = limitOf(call);
  const { views, next } = await scanSessions(call, limit);
  const last = views[limit - 1];
  const isCut = views.length > limit && last !== undefined;
  const end = isCut ? positionOf({ at: Date.parse(last.lastSeenAt), key: last.id }) : next;
  return { sessions: views.slice(0, limit), next: end };
}

/** The newest sessions that are asked for, until there are more than enough. `next` is null where all were looked through. */
export async function scanSessions(call: ApiCall, enough: number) {
  let position = call.query("cursor");
  if (position !== undefined && !/^\d+(\.\d+)?:/.test(position))
    throw badRequest("cursor must be the `next` of a page.");
  const states = statesAsked(call);
  const [filter, isAsked] = [filterOf(call, states), conditionOf(call)];
  const views: SessionView[] = [];
  const { actor, query, stores } = call;
  const isOfOthers = actor.tenant !== undefined && (query("tenant") ?? actor.tenant) !== actor.tenant;
  const batch = filter === undefined && states === undefined ? Math.min(enough + 1, MAX_SCANNED) : MAX_SCANNED;
  for (let scanned = 0; !isOfOthers && scanned < MAX_SCANNED && views.length <= enough; scanned += batch) {
    const { entries, next } = await stores.directory.page(batch, position, filter);
    for (let from = 0; from < entries.length; from += SLICE) {
      if (from > 0) await turn();
      const slice = entries.slice(from, from + SLICE).filter((entry) => isInState(call, entry, states));
      views.push(...slice.map((entry) => viewOf(call, entry)).filter(isAsked));
    }
    position = next;
    if (position === undefined) break;
  }
  return { views, next: isOfOthers ? null : (position ?? null) };
}

function statesAsked({ query }: ApiCall): readonly RunState[] | undefined {
  return query("state")
    ?.split(",")
    .map((name) => {
      const state = runStates.find((one) => one === name);
      if (state === undefined) throw badRequest(`state must be one of ${runStates.join(", ")}.`);
      return state;
    });
}

/** Looked at before the rest of a session is put together. */
function isInState({ control, now }: ApiCall, entry: DirectoryEntry, states: readonly RunState[] | undefined): boolean {
  return states?.includes(stateOf(entry, control.containmentOf(entry.key), now()).state) ?? true;
}

/** States of sessions that the directory marks: the few that somebody has to look at. */
const MARKED: readonly RunState[] = ["contained", "failing", ...LED_BY_LOOP];

/** What the directory can look for by itself. */
function filterOf({ query, actor }: ApiCall, states: readonly RunState[] | undefined): DirectoryFilter | undefined {
  const equal = present({ tenant: actor.tenant ?? query("tenant"), policy: query("policy"), model: query("model") });
  const agent = query("agent");
  const [q, detector, tool] = ["q", "detector", "tool"].map(query);
  const loop = detector === undefined ? tool && JSON.stringify(tool) : `{"detector":${JSON.stringify(detector)}`;
  const containing = present({ name: q?.slice(0, NAMED), loop });
  const filter: DirectoryFilter = {
    ...(equal && { equal }),
    ...(containing && { containing }),
    ...(agent !== undefined && { beginning: { agent } }),
    ...(states?.every((state) => MARKED.includes(state)) && { filled: { marked: true } }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Characters of a long name that are shown; who looks for more of it finds those that begin alike. */
const NAMED = 8;

const WINDOWS_MS: Readonly<Record<string, number>> = { "1h": 3_600_000, "6h": 21_600_000, "24h": 86_400_000 };

/** Beginning of the window that is asked for; Unix time, milliseconds. */
export function sinceAsked({ query, now }: ApiCall): number | undefined {
  const length = WINDOWS_MS[query("window") ?? ""];
  return length === undefined ? undefined : now() - length;
}

function conditionOf(call: ApiCall): (view: SessionView) => boolean {
  const [q, detector, tool, rung] = ["q", "detector", "tool", "rung"].map(call.query);
  const since = sinceAsked(call) ?? 0;
  return ({ name, loop, lastSeenAt, interventions, observed }) =>
    (q === undefined || name.includes(q) || name.startsWith(`${q.slice(0, NAMED)}..`)) &&
    (detector === undefined || loop?.detector === detector) &&
    (tool === undefined || (loop?.tools.includes(tool) ?? false)) &&
    (rung === undefined || (interventions[rung] ?? observed[rung.replace("observe:", "")]) !== undefined) &&
    Date.parse(lastSeenAt) >= since;
}

function viewOf(call: ApiCall, entry: DirectoryEntry): SessionView {
  return sessionView.of(seenSession(entry, call));
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

type SeenThread = Parameters<typeof threadView.of>[0];
type SeenDetail = Parameters<typeof sessionView.of>[0] & { readonly seenThreads: readonly SeenThread[] };

export const sessionDetail = view<SeenDetail>()({
  ...sessionFields,
  lineages: each(threadView, "Its threads that are still stored.", ({ seenThreads }) => seenThreads),
});

export async function readSession(call: ApiCall) {
  const entry = await sessionEntry(call);
  const { terms, policyNamed, sign, stepTimes } = call.control;
  const policy = policyNamed(entry.fields.policy ?? "") ?? terms().policy;
  const stored = threadsOf(entry).map(async (key) => ({ key, record: await call.stores.sessions.read(key) }));
  const seenThreads = (await Promise.all(stored)).flatMap(({ key, record }) => {
    const ledger = record === undefined ? unbegun(entry, { sign, policy }) : readLedger(record.json);
    if (ledger === undefined) return [];
    return [{ key, ledger: withPendingCounted(ledger, { sign, policy }), times: stepTimes(key), policy }];
  });
  return sessionDetail.of({ ...seenSession(entry, call), seenThreads });
}

/** Nothing is stored of a thread that has no step yet. */
function unbegun({ sums }: DirectoryEntry, evaluation: EvaluationContext): Ledger | undefined {
  return sums.steps === undefined ? emptyLedger({ system: "", opening: [], steps: [] }, evaluation) : undefined;
}
