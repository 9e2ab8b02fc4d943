import { replay } from "../../src/cli/replay.ts";
import { type Policy, presetNamed } from "../../src/policy/policy.ts";
import type { Labelled } from "./data.ts";

/** A flag of a rule: at which turn, and whether it did more than say a word. */
interface Flag {
  readonly turn: number;
  readonly hard: boolean;
}

export interface Rule {
  readonly name: string;
  readonly flags: (conversation: Labelled) => readonly Flag[];
}

export interface Measured {
  readonly name: string;
  readonly cases: {
    readonly loops: number;
    readonly found: number;
    readonly healthy: number;
    readonly flagged: number;
  };
  readonly sessions: SessionScore | undefined;
  readonly wrong: readonly string[];
}

export interface SessionScore {
  readonly healthy: number;
  readonly nudged: number;
  readonly forced: number;
  readonly loops: number;
  readonly found: number;
  readonly early: number;
  /** Turns after the loop's start; 0 where it was seen at once. */
  readonly medianDelay: number | undefined;
}

/** A flag this many turns before the label's start is still right. */
const GRACE = 1;

export const references: readonly Rule[] = [
  { name: "same call x3", flags: sameThree((step) => step.act) },
  { name: "same call and result x3", flags: sameThree((step) => `${step.act} ${step.out}`) },
  { name: "step cap 50", flags: ({ messages }) => (stepsOf(messages).length > 50 ? [{ turn: 50, hard: true }] : []) },
  { name: "unloop default", flags: (conversation) => unloopFlags(conversation, presetNamed("default")) },
];

function unloopFlags({ id, messages }: Labelled, policy: Policy | undefined): readonly Flag[] {
  const found = policy === undefined ? undefined : replay(id, { messages }, policy);
  return (found?.findings ?? []).map(({ turn, rung }) => ({ turn, hard: rung !== "nudge" }));
}

interface PlainStep {
  readonly act: string;
  readonly out: string;
}

/** The messages as a simple rule sees them: raw texts, nothing normalised. */
function stepsOf(messages: unknown): readonly PlainStep[] {
  const steps: { act: string; out: string }[] = [];
  for (const message of Array.isArray(messages) ? messages : []) {
    if (message?.role === "assistant") {
      const calls = (message.tool_calls ?? []).map((call: { function?: unknown }) => JSON.stringify(call.function));
      steps.push({ act: calls.join(), out: "" });
    }
    const last = steps.at(-1);
    if (message?.role === "tool" && last !== undefined) last.out += JSON.stringify(message.content);
  }
  return steps;
}

function sameThree(identity: (step: PlainStep) => string): Rule["flags"] {
  return ({ messages }) => {
    const steps = stepsOf(messages);
    const same = (a: PlainStep | undefined, b: PlainStep): boolean =>
      a !== undefined && b.act !== "" && identity(a) === identity(b);
    const turn = steps.findIndex((step, i) => same(steps[i - 1], step) && same(steps[i - 2], step));
    return turn < 0 ? [] : [{ turn, hard: true }];
  };
}

export function measure(rule: Rule, cases: readonly Labelled[], sessions: readonly Labelled[] | undefined): Measured {
  const wrong: string[] = [];
  return {
    name: rule.name,
    cases: measureCases(rule, cases, wrong),
    sessions: sessions && measureSessions(rule, sessions, wrong),
    wrong,
  };
}

function measureCases(rule: Rule, cases: readonly Labelled[], wrong: string[]): Measured["cases"] {
  const score = { loops: 0, found: 0, healthy: 0, flagged: 0 };
  for (const one of cases) {
    const flagged = rule.flags(one).length > 0;
    if (flagged !== one.loops)
      wrong.push(`case ${one.id} (${one.kind}${one.counts ? "" : ", soft"}): ${one.loops ? "missed" : "flagged"}`);
    if (!one.counts) continue;
    score[one.loops ? "loops" : "healthy"]++;
    if (flagged) score[one.loops ? "found" : "flagged"]++;
  }
  return score;
}

function measureSessions(rule: Rule, sessions: readonly Labelled[], wrong: string[]): SessionScore {
  const score = { healthy: 0, nudged: 0, forced: 0, loops: 0, found: 0, early: 0 };
  const delays: number[] = [];
  for (const one of sessions) {
    const flags = rule.flags(one);
    const start = one.loops ? (one.start ?? 0) : Number.POSITIVE_INFINITY;
    const early = flags.filter(({ turn }) => turn < start - GRACE);
    const hit = flags.find(({ turn }) => turn >= start - GRACE);
    if (one.loops ? hit === undefined || early.length > 0 : flags.length > 0) wrong.push(describe(one, flags));
    if (!one.counts) continue;
    score[one.loops ? "loops" : "healthy"]++;
    if (!one.loops && flags.length > 0) score.nudged++;
    if (!one.loops && flags.some(({ hard }) => hard)) score.forced++;
    if (one.loops && early.length > 0) score.early++;
    if (one.loops && hit !== undefined) {
      score.found++;
      delays.push(hit.turn - start);
    }
  }
  return { ...score, medianDelay: delays.sort((a, b) => a - b)[delays.length >> 1] };
}

function describe(one: Labelled, flags: readonly Flag[]): string {
  const seen = flags.length === 0 ? "missed" : `flagged at ${flags.map(({ turn }) => turn).join(", ")}`;
  return `session ${one.id} (${one.family}, ${one.loops ? `${one.kind} from ${one.start}` : "healthy"}): ${seen}`;
}
