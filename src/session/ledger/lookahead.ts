import { type Footprint, footprint, inspectAhead, oncePer, repeatables, WINDOW } from "../../engine/engine.ts";
import { type Decision, decide, type Policy } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import { record } from "./advance.ts";
import type { Followed } from "./follow.ts";
import type { Placed } from "./positioned-intervention.ts";
import type { Intervention, Judge, Ledger, Taken } from "./ledger.ts";

/** What to look out for in the answer to one request. */
export interface Watch {
  /** Only a step that calls nothing but these can complete a loop; undefined: any that calls something. */
  readonly tools: ReadonlySet<string> | undefined;
  /** What a step leads to if it is taken, should everything come back as it did before. */
  foresee(step: Step): Placed | undefined;
}

/** Undefined where no answer can complete a loop: the thread is more than one step away from any rung. */
export function watchFor({ tip }: Pick<Followed, "tip">, conversation: Conversation, judge: Judge): Watch | undefined {
  const { policy, sign } = judge;
  const last = tip.window.at(-1);
  const suspects = last === undefined ? [] : suspectsIn(tip, last, policy);
  if (last === undefined || suspects.length === 0) return undefined;
  return {
    tools: toolsOf(suspects),
    foresee(step) {
      const print = footprint(step, sign, policy.tools, new Set());
      for (const { taken, about } of suspects) {
        const again = taken(print);
        const decision = again && decisionOn(again, tip, policy);
        if (decision !== undefined)
          return placed(record(decision, last, tip.total - 1, tip.language), about, conversation);
      }
      return undefined;
    },
  };
}

function toolsOf(suspects: readonly Suspect[]): ReadonlySet<string> | undefined {
  const tools = suspects.map((suspect) => suspect.tools);
  return tools.includes(undefined) ? undefined : new Set(tools.flatMap((some) => some ?? []));
}

/** The history may begin after the step that would be repeated. */
function placed(made: Intervention, about: number, { steps }: Conversation): Placed {
  const here = steps.length - 1;
  const there = here - (made.at - about);
  return { intervention: { ...made, about, foreseen: true }, step: here, about: there < 0 ? here : there };
}

/** An answer may complete a loop: there is something to look out for. */
export function isNearRung(tip: Ledger, policy: Policy): boolean {
  const last = tip.window.at(-1);
  return last !== undefined && suspectsIn(tip, last, policy).length > 0;
}

/** A ledger with what the answer to its last step's request led to; as it is if it has gone on since. */
export function withIntercepted(ledger: Ledger | undefined, made: Intervention): Ledger | undefined {
  const pending = ledger?.pending;
  if (ledger === undefined || pending?.print.key !== made.key) return ledger;
  const taken: Taken = { ...pending, intercepted: made };
  return { ...ledger, pending: taken };
}

/** A step that would complete a loop. */
interface Suspect {
  /** Undefined: whatever it calls. */
  readonly tools: readonly string[] | undefined;
  /** Index, in the thread, of the step that would be repeated. */
  readonly about: number;
  /** How an answer's step would look once it is taken; undefined if it is another step. */
  taken(print: Footprint): Footprint | undefined;
}

function suspectsIn(tip: Ledger, last: Footprint, policy: Policy): readonly Suspect[] {
  const polls = policy.detectors?.["repeated-call"]?.polls === "count";
  const calls = repeatables(countingIn(tip), leastCount(policy) - 1, polls)
    .filter(({ again }) => decisionOn(again, tip, policy) !== undefined)
    .map(
      ({ again, ago }): Suspect => ({
        tools: again.calls.map(({ tool }) => tool),
        about: tip.total - ago,
        taken: (print) => (print.act === again.act ? inTheOrderOf(print, again) : undefined),
      }),
    );
  return [...calls, ...explanationSuspect(tip, last, policy)];
}

/** What is done is another thing each time, and what is said about it the same. */
function explanationSuspect(tip: Ledger, last: Footprint, policy: Policy): readonly Suspect[] {
  if (policy.ladders["repeated-message:explanation"] === undefined) return [];
  if (last.calls.length === 0 || last.said === "" || decisionOn(last, tip, policy) === undefined) return [];
  const taken = (print: Footprint) => (print.said === last.said && print.calls.length > 0 ? print : undefined);
  return [{ tools: undefined, about: tip.total - 1, taken }];
}

/** The same calls may come in another order than they did. */
function inTheOrderOf({ order }: Footprint, { order: _, ...again }: Footprint): Footprint {
  return order === undefined ? again : { ...again, order };
}

/** What is decided if this step comes next. */
function decisionOn(next: Footprint, tip: Ledger, policy: Policy): Decision | undefined {
  const { total, asked, memory } = tip;
  const situation = { window: [...countingIn(tip), next].slice(-WINDOW), total: total + 1, asked, elsewhere: 0 };
  const findings = inspectAhead(situation, policy.detectors);
  return decide(findings, memory, policy, { at: total, userSpoke: false }).decision;
}

function countingIn({ window, total, since }: Ledger): readonly Footprint[] {
  return window.slice(-Math.max(1, total - since));
}

/** The lowest count at which anything is done about calls that are no sends. */
const leastCount = oncePer(({ ladders, tools }: Policy): number => {
  const all = [ladders, ...Object.values(tools).flatMap((terms) => terms.ladders ?? [])];
  const counts = all
    .flatMap((some) => Object.entries(some))
    .filter(([name]) => /^(repeated-call|call-cycle)(:|$)/.test(name) && !name.endsWith(":send"))
    .flatMap(([, ladder]) => Object.values(ladder ?? {}));
  return Math.min(...counts);
});
