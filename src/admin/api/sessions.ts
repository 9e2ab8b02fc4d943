import { readLoop, runStates, type StepTime } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import { forceDoneNote, nudgeNote, placeOnLadder, type Policy } from "../../policy/policy.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Intervention,
  type Ledger,
  readLedger,
  withPendingCounted,
} from "../../session/session.ts";
import { anyText, type InputShape, matching, oneOfChoices, optional } from "../../shapes/shapes.ts";
import { type DirectoryEntry, partsOf, positionOf, type SessionKey, type ThreadKey } from "../../store/store.ts";
import { turn } from "../../turns.ts";
import { type ApiCall, get, notFound, visiblePolicy } from "./operation.ts";
import { isoTime, RUNGS, type SessionView, sessionView, stateOf, threadsOf } from "./session-view.ts";

/** Sessions that one call looks through at most, and those after which others have their turn. */
const MAX_SCANNED = 5_000;
const SLICE = 250;

const WINDOWS_MS: Readonly<Record<string, number>> = { "1h": 3_600_000, "6h": 21_600_000, "24h": 86_400_000 };

type Condition = (entry: DirectoryEntry, value: string, call: ApiCall) => boolean;

const filter = (holds: Condition, shape: InputShape = anyText) => ({ ...optional(shape), holds });
const has =
  (name: string): Condition =>
  ({ fields }, value) =>
    (fields[name] ?? "") === value;

const anyState = `(${runStates.join("|")})`;
const states = matching(
  new RegExp(`^${anyState}(,${anyState})*$`),
  `must be one of ${runStates.join(", ")}, or several.`,
);
/** Characters of a long name that are shown; who looks for more of it finds those that begin alike. */
const NAMED = 8;

export const FILTERS = {
  q: filter(
    ({ fields: { name = "" } }, value) => name.includes(value) || name.startsWith(`${value.slice(0, NAMED)}..`),
  ),
  tenant: filter(has("tenant")),
  agent: filter(({ fields: { agent = "" } }, value) => agent.toLowerCase().startsWith(value.toLowerCase())),
  policy: filter(has("policy")),
  model: filter(has("model")),
  detector: filter(({ fields }, value) => readLoop(fields.loop)?.detector === value),
  tool: filter(({ fields }, value) => readLoop(fields.loop)?.tools.includes(value) === true),
  state: filter((entry, value, call) => value.split(",").includes(stateOf(entry, call).state), states),
  rung: filter(
    ({ sums }, value) => sums[value] !== undefined,
    oneOfChoices(...RUNGS, ...RUNGS.map((rung) => `observe:${rung}`)),
  ),
  window: filter(
    ({ at }, value, { now }) => at >= now() - (WINDOWS_MS[value] ?? 0),
    oneOfChoices(...Object.keys(WINDOWS_MS)),
  ),
};

function conditionsOf(call: ApiCall): readonly ((entry: DirectoryEntry) => boolean)[] {
  const asked = Object.entries(FILTERS).map(([name, { holds }]) => ({ holds, value: call.query(name) }));
  return [{ holds: FILTERS.tenant.holds, value: call.actor.tenant }, ...asked].flatMap(({ holds, value }) =>
    value === undefined ? [] : [(entry: DirectoryEntry) => holds(entry, value, call)],
  );
}

/** Beginning of the window that is asked for; Unix time, milliseconds. */
export function sinceAsked({ query, now }: ApiCall): number | undefined {
  const length = WINDOWS_MS[query("window") ?? ""];
  return length === undefined ? undefined : now() - length;
}

const MAX_LIMIT = 200;
const STANDARD_LIMIT = 50;
export const limit = optional<unknown>({
  // A query's number arrives as text.
  ...matching(/^(1?\d?[1-9]|1?[1-9]0|[12]00)$/, `must be a whole number from 1 to ${MAX_LIMIT}.`),
  schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: STANDARD_LIMIT },
});
export const limitOf = ({ query }: ApiCall) => Number(query("limit") ?? STANDARD_LIMIT);

/** The newest of a list that are asked for, `most` at the most. `next` is null where all were looked through. @param pageAt gives the newest first */
export async function lookThrough<Item>(
  pageAt: (limit: number, position: string | undefined) => Promise<readonly Item[]>,
  placeOf: (item: Item) => string,
  isAsked: (item: Item) => boolean,
  most: number,
  from: string | undefined,
) {
  const found: Item[] = [];
  let position = from;
  let slice = Math.min(most + 1, SLICE);
  for (let looked = 0; looked < MAX_SCANNED; looked += slice) {
    if (looked > 0) slice = SLICE;
    const items = await pageAt(slice, position);
    for (const item of items) {
      position = placeOf(item);
      if (isAsked(item)) found.push(item);
      if (found.length < most) continue;
      return { found, next: item === items.at(-1) && items.length < slice ? null : position };
    }
    if (items.length < slice) return { found, next: null };
    await turn();
  }
  return { found, next: position ?? null };
}

export function scanDirectory(call: ApiCall, most = MAX_SCANNED) {
  const conditions = conditionsOf(call);
  const isAsked = (entry: DirectoryEntry) => conditions.every((holds) => holds(entry));
  return lookThrough(call.stores.directory.page, positionOf, isAsked, most, call.query("cursor"));
}

export async function scanSessions(call: ApiCall) {
  const { found, next } = await scanDirectory(call);
  const views: SessionView[] = [];
  for (const [i, entry] of found.entries()) {
    if (i % SLICE === SLICE - 1) await turn();
    views.push(sessionView(entry, call));
  }
  return { views, next };
}

export const listSessions = get(
  "/sessions",
  async (call) => {
    const { found, next } = await scanDirectory(call, limitOf(call));
    return { sessions: found.map((entry) => sessionView(entry, call)), next };
  },
  { ...FILTERS, cursor: optional(matching(/^\d+(\.\d+)?:/, "must be the `next` of a page.")), limit },
);

export async function sessionEntry({ stores, id, actor }: ApiCall): Promise<DirectoryEntry> {
  const entry = await stores.directory.find(id as SessionKey);
  // Another tenant's session is none: its very existence is not told.
  if (entry === undefined || (actor.tenant !== undefined && entry.fields.tenant !== actor.tenant))
    throw notFound("such session; it may have expired");
  return entry;
}

export const readSession = get("/sessions/{id}", async (call) => {
  const entry = await sessionEntry(call);
  const guard = call.guard();
  const { sign, activity } = guard.services;
  const policy = visiblePolicy(entry.fields.policy ?? "", guard) ?? guard.configuration.policy;
  const stored = threadsOf(entry).map(async (key) => ({ key, record: await call.stores.sessions.read(key) }));
  const lineages = (await Promise.all(stored)).flatMap(({ key, record }) => {
    const ledger = record === undefined ? unbegun(entry, { sign, policy }) : readLedger(record.json);
    if (ledger === undefined) return [];
    const counted = withPendingCounted(ledger, { sign, policy });
    return [threadView(key, counted, activity.steps.of(key), policy)];
  });
  return { ...sessionView(entry, call), lineages };
});

/** Nothing is stored of a thread that has no step yet. */
function unbegun({ sums }: DirectoryEntry, evaluation: EvaluationContext): Ledger | undefined {
  return sums.steps === undefined ? emptyLedger({ system: "", opening: [], steps: [] }, evaluation) : undefined;
}

/** A thread: signatures, flags and names, and no text. */
function threadView(key: ThreadKey, ledger: Ledger, times: readonly StepTime[], policy: Policy) {
  const { total, since, window, interventions } = ledger;
  return {
    id: partsOf(key).thread,
    steps: total,
    since,
    window: window.map((one, i) => drawnStep(one, total - window.length + i)),
    times: times.map(({ at, tokens, failure = null, ...one }) => ({
      ...{ ...one, at: isoTime(at), tokens: Math.round(tokens), failure },
    })),
    findings: interventions.map((made) => ({
      step: made.at,
      ...interventionView(made),
      loop: made.loop,
      due: placeOnLadder(policy, made, made.rung).due ?? null,
      evidence: made.evidence,
      tools: made.tools,
      foreseen: made.foreseen === true,
      told: wordsOf(made, policy),
    })),
  };
}

export function interventionView({ detector, grade, rung, count, note }: Intervention) {
  return { detector, grade: grade ?? null, rung, count, note };
}

/** What the model was told, in the words of the policy as it is now; of the calls, only their names are known. */
function wordsOf(intervention: Intervention, policy: Policy): string | null {
  const { rung, tools = [], language } = intervention;
  const told = { calls: tools.map((tool) => ({ tool, args: "" })), text: "", heard: [] };
  if (rung === "nudge") return nudgeNote({ ...intervention, isBehindOutcome: true }, told, language, policy);
  return rung === "force-done" ? forceDoneNote(intervention, told, "", undefined, language, policy) : null;
}
