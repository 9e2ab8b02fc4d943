import { type LoopEntry, readLoop } from "../../activity/activity.ts";
import { drawnStep } from "../../page/page.ts";
import type { Containment } from "../../proxy/proxy.ts";
import type { Intervention, Ledger } from "../../session/session.ts";
import { type DirectoryEntry, partsOf, type ThreadKey } from "../../store/store.ts";
import { isoTime } from "./context.ts";

const RUNGS = ["nudge", "force-done", "short-circuit", "cut"] as const;

export type SessionView = ReturnType<typeof sessionView>;

export const sessionStates = ["looping", "ended", "cut", "contained", "healthy"] as const;
export type SessionState = (typeof sessionStates)[number];

/** A session of the directory as the API shows it. */
export function sessionView({ key, at, fields, sums }: DirectoryEntry, containment: Containment | undefined) {
  const loop = readLoop(fields.loop) ?? null;
  const cut = isCut(fields) ? (fields.cut ?? "") : null;
  const acts = RUNGS.flatMap((rung) => (sums[rung] === undefined ? [] : [[rung, sums[rung]] as const]));
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
    threads: threadsOf(fields).length,
    tokens: { input: Math.round(sums.inputTokens ?? 0), output: Math.round(sums.outputTokens ?? 0) },
    loopTokens: Math.round(sums.loopTokens ?? 0),
    interventions: Object.fromEntries(acts),
    state: stateOf(loop, cut, containment),
    loop,
    cut,
    blocked: blocksIn(fields).some((name) => fields[name] !== ""),
    verdict: fields.verdict ?? "",
    unread: fields.unread || null,
    containment: containment === undefined ? null : containmentView(containment),
  };
}

/** Whether the newest answer was cut off, as its verdict says. */
function isCut({ verdict }: DirectoryEntry["fields"]): boolean {
  return verdict === "cut" || verdict === "observe:cut";
}

function stateOf(loop: LoopEntry | null, cut: string | null, containment: Containment | undefined): SessionState {
  if (containment !== undefined) return "contained";
  if (loop?.ended) return "ended";
  if (cut !== null) return "cut";
  return loop === null ? "healthy" : "looping";
}

/** The fields that say which threads are blocked. */
export function blocksIn(fields: DirectoryEntry["fields"]): readonly string[] {
  return Object.keys(fields).filter((name) => /^blocked\d+$/.test(name));
}

function containmentView({ actor, reason, at, until }: Containment) {
  return { actor, reason, at: isoTime(at), until: isoTime(until) };
}

/** The threads that a directory entry names. */
export function threadsOf(fields: DirectoryEntry["fields"]): readonly ThreadKey[] {
  return Object.entries(fields).flatMap(([name, key]) => (/^thread\d+$/.test(name) ? [key as ThreadKey] : []));
}

/** A thread's ledger: signatures, flags and names, and no text. */
export function threadView(key: ThreadKey, ledger: Ledger) {
  const { total, since, window } = ledger;
  return {
    id: partsOf(key).thread,
    steps: total,
    since,
    window: window.map((step, i) => drawnStep(step, total - window.length + i)),
    findings: ledger.interventions.map(findingView),
  };
}

function findingView({ at, detector, grade, rung, count, loop, evidence, tools = [], note, foreseen }: Intervention) {
  return {
    step: at,
    detector: detector as string,
    grade: grade ?? null,
    rung: rung as string,
    count,
    loop,
    evidence,
    tools,
    note,
    foreseen: foreseen === true,
  };
}
