import { readLoop, type RunState, type StateAt, stateOfThreads, type StepTime } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import { forceDoneNote, nudgeNote, placeOnLadder, type Policy } from "../../policy/policy.ts";
import type { Containment } from "../../proxy/proxy.ts";
import type { Intervention, Ledger } from "../../session/session.ts";
import { type DirectoryEntry, partsOf, type ThreadKey } from "../../store/store.ts";
import { isoTime } from "./context.ts";

const RUNGS = ["nudge", "force-done", "short-circuit", "cut"] as const;

export type SessionView = ReturnType<typeof sessionView>;

/** State of a session of the directory. @param now Unix time, milliseconds */
export function stateOf(
  { at, fields }: Pick<DirectoryEntry, "at" | "fields">,
  containment: Containment | undefined,
  now: number,
): StateAt {
  if (containment !== undefined) return { state: "contained", at: containment.at };
  return stateOfThreads(
    statesIn(fields).map((name) => fields[name] ?? ""),
    at,
    now,
  );
}

/** A session of the directory as the API shows it. @param now Unix time, milliseconds */
export function sessionView(
  { key, at, fields, sums }: DirectoryEntry,
  containment: Containment | undefined,
  now: number,
) {
  const loop = readLoop(fields.loop) ?? null;
  const { state, at: stateAt } = stateOf({ at, fields }, containment, now);
  const counted = (prefix: string, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (sums[prefix + name] ? [[name, sums[prefix + name]]] : [])));
  const failures = Object.keys(sums).flatMap((name) => (name.startsWith("failed:") ? [name.slice(7)] : []));
  return {
    id: key as string,
    name: fields.name ?? "",
    source: fields.source ?? "derived",
    tenant: fields.tenant ?? "",
    client: fields.client || null,
    agent: fields.agent ?? "",
    model: fields.model ?? "",
    wire: fields.wire ?? "",
    policy: fields.policy ?? "",
    mode: fields.mode ?? "enforce",
    rule: fields.rule || null,
    arm: fields.arm || null,
    firstSeenAt: isoTime(Number(fields.firstSeenAt ?? at)),
    lastSeenAt: isoTime(at),
    requests: sums.requests ?? 0,
    steps: sums.steps ?? 0,
    threads: threadsOf({ key, fields }).length,
    tokens: {
      cached: Math.round(sums.cachedTokens ?? 0),
      input: Math.round(sums.inputTokens ?? 0),
      output: Math.round(sums.outputTokens ?? 0),
    },
    loopTokens: Math.round(sums.loopTokens ?? 0),
    interventions: counted("", RUNGS),
    observed: counted("observe:", RUNGS),
    keptBack: sums.keptBack ?? 0,
    answered: sums.answered ?? 0,
    avoidedTokens: Math.round(sums.avoidedTokens ?? 0),
    failing: fields.failing || null,
    failures: counted("failed:", failures),
    state: state as string,
    stateAt: isoTime(stateAt),
    why: containment?.reason ?? (LED_BY_LOOP.includes(state) ? (loop?.note ?? "") : ""),
    loop,
    blocked: fields.mode === "enforce" && statesIn(fields).some((name) => /^(ended|forced) /.test(fields[name] ?? "")),
    verdict: fields.verdict ?? "",
    unread: fields.unread || null,
    feedback: readJson<Feedback>(fields.feedback),
    released: readJson<Release>(fields.released),
    containment: containment === undefined ? null : containmentView(containment),
  };
}

/** What an operator has said of an intervention: whether it was right. */
export interface Feedback {
  readonly right: boolean;
  readonly detector: string | null;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
}

/** An operator's last release of a session. */
export type Release = Pick<Feedback, "reason" | "actor" | "at">;

const readJson = <Value>(text: string | undefined): Value | null => (text ? JSON.parse(text) : null);

/** States that come from the session's loop, whose note says why. */
export const LED_BY_LOOP: readonly RunState[] = ["looping", "warned", "forced", "ended", "cut", "recovered"];

/** The fields that say how its threads are. */
export function statesIn(fields: DirectoryEntry["fields"]): readonly string[] {
  return Object.keys(fields).filter((name) => /^state\d+$/.test(name));
}

function containmentView({ actor, reason, at, until }: Containment) {
  return { actor, reason, at: isoTime(at), until: isoTime(until) };
}

/** The threads that a directory entry names: its own by their names alone, others by their keys. */
export function threadsOf({ key, fields }: Pick<DirectoryEntry, "key" | "fields">): readonly ThreadKey[] {
  const names = Object.entries(fields).flatMap(([name, text]) => (/^thread\d+$/.test(name) ? [text] : []));
  return names.map((name) => (name.includes(".") ? name : `${key}.${name}`) as ThreadKey);
}

/** A thread's ledger: signatures, flags and names, and no text. */
export function threadView(key: ThreadKey, ledger: Ledger, times: readonly StepTime[], policy: Policy) {
  const { total, since, window } = ledger;
  return {
    id: partsOf(key).thread,
    steps: total,
    since,
    window: window.map((step, i) => drawnStep(step, total - window.length + i)),
    times: times.map(({ at, tokens, failure = null, ...time }) => ({
      ...time,
      at: isoTime(at),
      tokens: Math.round(tokens),
      failure,
    })),
    findings: ledger.interventions.map((one) => findingView(one, policy)),
  };
}

function findingView(intervention: Intervention, policy: Policy) {
  const { at, detector, grade, rung, count, loop, evidence, tools = [], note, foreseen } = intervention;
  return {
    step: at,
    detector: detector as string,
    grade: grade ?? null,
    rung: rung as string,
    count,
    due: placeOnLadder(policy, { detector, tools, count, ...(grade !== undefined && { grade }) }, rung).due,
    loop,
    evidence,
    tools,
    note,
    foreseen: foreseen === true,
    told: wordsOf(intervention, policy),
  };
}

/** What the model was told, in the words of the policy as it is now; of the calls, only their names are known. */
function wordsOf(intervention: Intervention, policy: Policy): string | null {
  const { rung, tools = [], language } = intervention;
  const step = { calls: tools.map((tool) => ({ tool, args: "" })), text: "", heard: [] };
  if (rung === "nudge") return nudgeNote({ ...intervention, isBehindOutcome: true }, step, language, policy);
  return rung === "force-done" ? forceDoneNote(intervention, step, "", undefined, language, policy) : null;
}
