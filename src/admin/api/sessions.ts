import {
  emptyLedger,
  type EvaluationContext,
  type Ledger,
  readLedger,
  withPendingCounted,
} from "../../session/session.ts";
import { type DirectoryEntry, positionOf, type SessionKey } from "../../store/store.ts";
import { readLoop } from "../../activity/activity.ts";
import { turn } from "../../turns.ts";
import { type ApiCall, notFound } from "./context.ts";
import { WINDOWS_MS } from "./inputs.ts";
import { seenSession, type SessionView, sessionView, stateOf, threadsOf } from "./session-view.ts";
import { threadView } from "./thread-view.ts";
import { asList, asRef, asText, each, orNull, view } from "./view.ts";

/** Sessions that one call looks through at most, and those after which others have their turn. */
const MAX_SCANNED = 5_000;
const SLICE = 250;

export const sessionPage = view<{ readonly sessions: readonly SessionView[]; readonly next: string | null }>()({
  sessions: asList(asRef("Session", sessionView), "Newest first."),
  next: orNull(asText("`cursor` of the next page; null at the end.")),
});

export async function listSessions(call: ApiCall) {
  const { views, next } = await scanSessions(call, Number(call.query("limit") ?? 50));
  return { sessions: views, next };
}

export const scanSessions = (call: ApiCall, most?: number) =>
  scanDirectory(call, (entry) => sessionView.of(seenSession(entry, call)), most);

/** The newest sessions that are asked for, `most` at the most. `next` is null where all were looked through. */
export async function scanDirectory<Seen>(call: ApiCall, see: (entry: DirectoryEntry) => Seen, most = MAX_SCANNED) {
  const conditions = conditionsOf(call);
  const slice = conditions.length === 0 ? Math.min(most, SLICE) : SLICE;
  const views: Seen[] = [];
  let position = call.query("cursor");
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += slice) {
    const { entries, next } = await call.stores.directory.page(slice, position);
    for (const entry of entries) {
      if (conditions.every((holds) => holds(entry))) views.push(see(entry));
      if (views.length < most) continue;
      return { views, next: entry === entries.at(-1) ? (next ?? null) : positionOf(entry) };
    }
    if (next === undefined) return { views, next: null };
    position = next;
    await turn();
  }
  return { views, next: position ?? null };
}

type Condition = (entry: DirectoryEntry) => boolean;

/** Characters of a long name that are shown; who looks for more of it finds those that begin alike. */
const NAMED = 8;

/** Beginning of the window that is asked for; Unix time, milliseconds. */
export function sinceAsked({ query, now }: ApiCall): number | undefined {
  const length = WINDOWS_MS[query("window") ?? ""];
  return length === undefined ? undefined : now() - length;
}

function conditionsOf(call: ApiCall): readonly Condition[] {
  const { query, actor, control, now } = call;
  const since = sinceAsked(call);
  const has =
    (name: string) =>
    (value: string) =>
    ({ fields }: DirectoryEntry) =>
      (fields[name] ?? "") === value;
  const conditions: Readonly<Record<string, (value: string) => Condition>> = {
    tenant: has("tenant"),
    policy: has("policy"),
    model: has("model"),
    agent:
      (value) =>
      ({ fields }) =>
        (fields.agent ?? "").toLowerCase().startsWith(value.toLowerCase()),
    q:
      (value) =>
      ({ fields: { name = "" } }) =>
        name.includes(value) || name.startsWith(`${value.slice(0, NAMED)}..`),
    detector:
      (value) =>
      ({ fields }) =>
        readLoop(fields.loop)?.detector === value,
    tool:
      (value) =>
      ({ fields }) =>
        readLoop(fields.loop)?.tools.includes(value) === true,
    rung:
      (value) =>
      ({ sums }) =>
        sums[value] !== undefined,
    state: (value) => (entry) =>
      value.split(",").includes(stateOf(entry, control.containmentOf(entry.key), now()).state),
  };
  const asked = Object.entries(conditions).flatMap(([name, conditionFor]) => {
    const value = query(name);
    return value === undefined ? [] : [conditionFor(value)];
  });
  return [
    ...(actor.tenant === undefined ? [] : [has("tenant")(actor.tenant)]),
    ...asked,
    ...(since === undefined ? [] : [({ at }: DirectoryEntry) => at >= since]),
  ];
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
  return sessionView.of(seenSession(await sessionEntry(call), call));
}

type SeenThread = Parameters<typeof threadView.of>[0];
type SeenDetail = Parameters<typeof sessionView.of>[0] & { readonly seenThreads: readonly SeenThread[] };

export const sessionDetail = view<SeenDetail>()({
  ...sessionView.fields,
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
