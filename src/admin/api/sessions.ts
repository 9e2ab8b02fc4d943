import { readLoop, runStates } from "../../activity/activity.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Ledger,
  readLedger,
  withPendingCounted,
} from "../../session/session.ts";
import { anyText, matching, oneOfChoices, optional, wholeNumberFrom } from "../../shapes/shapes.ts";
import { type DirectoryEntry, positionOf, type SessionKey } from "../../store/store.ts";
import { turn } from "../../turns.ts";
import { type ApiCall, get, notFound } from "./operation.ts";
import { RUNGS, seenSession, type SeenSession, sessionView, stateOf, threadsOf } from "./session-view.ts";
import { type SeenThread, threadView } from "./thread-view.ts";
import { show } from "./view.ts";

/** Sessions that one call looks through at most, and those after which others have their turn. */
const MAX_SCANNED = 5_000;
const SLICE = 250;

const WINDOWS_MS: Readonly<Record<string, number>> = { "1h": 3_600_000, "6h": 21_600_000, "24h": 86_400_000 };

const anyState = `(${runStates.join("|")})`;
const states = matching(
  new RegExp(`^${anyState}(,${anyState})*$`),
  `must be one of ${runStates.join(", ")}, or several.`,
);
const rungs = oneOfChoices(...RUNGS, ...RUNGS.map((rung) => `observe:${rung}`));

/** What a query may ask of sessions. */
export const FILTERS = {
  q: optional(anyText, "Part of the name."),
  tenant: optional(anyText, "Only of this tenant."),
  agent: optional(anyText, "Beginning of the agent's name."),
  policy: optional(anyText, "Only under this policy."),
  model: optional(anyText, "The model."),
  detector: optional(anyText, "The detector."),
  tool: optional(anyText, "The tool."),
  state: optional(states, `One of ${runStates.join(", ")}, or several.`),
  rung: optional(rungs, "With this intervention, or with one that enforce mode would have made."),
  window: optional(oneOfChoices(...Object.keys(WINDOWS_MS)), "In use in this time."),
};

type Condition = (entry: DirectoryEntry, value: string, call: ApiCall) => boolean;

const has =
  (name: string): Condition =>
  ({ fields }, value) =>
    (fields[name] ?? "") === value;

/** Characters of a long name that are shown; who looks for more of it finds those that begin alike. */
const NAMED = 8;

const CONDITIONS: Readonly<Record<keyof typeof FILTERS, Condition>> = {
  q: ({ fields: { name = "" } }, value) => name.includes(value) || name.startsWith(`${value.slice(0, NAMED)}..`),
  tenant: has("tenant"),
  agent: ({ fields: { agent = "" } }, value) => agent.toLowerCase().startsWith(value.toLowerCase()),
  policy: has("policy"),
  model: has("model"),
  detector: ({ fields }, value) => readLoop(fields.loop)?.detector === value,
  tool: ({ fields }, value) => readLoop(fields.loop)?.tools.includes(value) === true,
  state: (entry, value, { control, now }) =>
    value.split(",").includes(stateOf(entry, control.services().containments.all().get(entry.key), now()).state),
  rung: ({ sums }, value) => sums[value] !== undefined,
  window: ({ at }, value, { now }) => at >= now() - (WINDOWS_MS[value] ?? 0),
};

function conditionsOf(call: ApiCall): readonly ((entry: DirectoryEntry) => boolean)[] {
  const asked = Object.entries(CONDITIONS).map(([name, holds]) => ({ holds, value: call.query(name) }));
  return [{ holds: CONDITIONS.tenant, value: call.actor.tenant }, ...asked].flatMap(({ holds, value }) =>
    value === undefined ? [] : [(entry: DirectoryEntry) => holds(entry, value, call)],
  );
}

/** Beginning of the window that is asked for; Unix time, milliseconds. */
export function sinceAsked({ query, now }: ApiCall): number | undefined {
  const length = WINDOWS_MS[query("window") ?? ""];
  return length === undefined ? undefined : now() - length;
}

/** A query's number arrives as text. */
const wholeLimit = wholeNumberFrom(1, 200);
const STANDARD_LIMIT = 50;
export const limit = optional<unknown>(
  {
    schema: { ...wholeLimit.schema, default: STANDARD_LIMIT },
    run: (text, path, report) => wholeLimit.run(wholeLimit.fromText?.(String(text)), path, report),
  },
  "How many at most.",
);
export const limitOf = ({ query }: ApiCall) => Number(query("limit") ?? STANDARD_LIMIT);

/** The newest sessions that are asked for, `most` at the most. `next` is null where all were looked through. */
export async function scanDirectory(call: ApiCall, most = MAX_SCANNED) {
  const conditions = conditionsOf(call);
  const slice = conditions.length === 0 ? Math.min(most, SLICE) : SLICE;
  const found: DirectoryEntry[] = [];
  let position = call.query("cursor");
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += slice) {
    const { entries, next } = await call.stores.directory.page(slice, position);
    for (const entry of entries) {
      if (conditions.every((holds) => holds(entry))) found.push(entry);
      if (found.length < most) continue;
      return { entries: found, next: entry === entries.at(-1) ? (next ?? null) : positionOf(entry) };
    }
    if (next === undefined) return { entries: found, next: null };
    position = next;
    await turn();
  }
  return { entries: found, next: position ?? null };
}

/** All sessions that are asked for, as the API shows them. */
export async function scanSessions(call: ApiCall) {
  const { entries, next } = await scanDirectory(call);
  const views: ReturnType<typeof sessionView.of>[] = [];
  for (const [i, entry] of entries.entries()) {
    if (i % SLICE === SLICE - 1) await turn();
    views.push(sessionView.of(seenSession(entry, call)));
  }
  return { views, next };
}

const sessionPage = show.view<{ readonly sessions: readonly SeenSession[] }>()({
  sessions: show.each(show.named("Session", sessionView), "Newest first."),
  next: show.orNull(show.text("`cursor` of the next page; null at the end.")),
});

export const listSessions = get(
  "/sessions",
  "Sessions, the newest first.",
  sessionPage,
  async (call) => {
    const { entries, next } = await scanDirectory(call, limitOf(call));
    return { sessions: entries.map((entry) => seenSession(entry, call)), next };
  },
  {
    ...FILTERS,
    cursor: optional(matching(/^\d+(\.\d+)?:/, "must be the `next` of a page."), "`next` of the page before."),
    limit,
  },
);

/** The session of the path, if who asks may see it. */
export async function sessionEntry({ stores, id, actor }: ApiCall): Promise<DirectoryEntry> {
  const entry = await stores.directory.find(id as SessionKey);
  // Another tenant's session is none: its very existence is not told.
  if (entry === undefined || (actor.tenant !== undefined && entry.fields.tenant !== actor.tenant))
    throw notFound("such session; it may have expired");
  return entry;
}

export const sessionNow = async (call: ApiCall): Promise<SeenSession> => seenSession(await sessionEntry(call), call);

const sessionDetail = show.view<SeenSession & { readonly threads: readonly SeenThread[] }>()({
  ...sessionView.fields,
  lineages: show.each(threadView, "Its threads that are still stored.", ({ threads }) => threads),
});

export const readSession = get(
  "/sessions/{id}",
  "One session with its threads, steps and findings. No text of the conversation.",
  sessionDetail,
  async (call) => {
    const entry = await sessionEntry(call);
    const { configuration, policyNamed, services } = call.control;
    const { sign, activity } = services();
    const policy = policyNamed(entry.fields.policy ?? "") ?? configuration().policy;
    const stored = threadsOf(entry).map(async (key) => ({ key, record: await call.stores.sessions.read(key) }));
    const threads = (await Promise.all(stored)).flatMap(({ key, record }) => {
      const ledger = record === undefined ? unbegun(entry, { sign, policy }) : readLedger(record.json);
      if (ledger === undefined) return [];
      return [{ key, ledger: withPendingCounted(ledger, { sign, policy }), times: activity.steps.of(key), policy }];
    });
    return { ...seenSession(entry, call), threads };
  },
);

/** Nothing is stored of a thread that has no step yet. */
function unbegun({ sums }: DirectoryEntry, evaluation: EvaluationContext): Ledger | undefined {
  return sums.steps === undefined ? emptyLedger({ system: "", opening: [], steps: [] }, evaluation) : undefined;
}
