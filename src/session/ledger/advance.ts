import { askedRepeats, bringsNews, footprint, type Footprint, inspect, isNews, WINDOW } from "../../engine/engine.ts";
import {
  type Decision,
  decide,
  type Language,
  languageOf,
  type Memory,
  noMemory,
  type Policy,
  withMade,
} from "../../policy/policy.ts";
import type { Open } from "../../mutable.ts";
import type { Step } from "../../step.ts";
import { type Intervention, type Judge, type Ledger, MAX_HEARD, type Taken } from "./ledger.ts";

/** Interventions that can still be shown again in their place. */
const MAX_INTERVENTIONS = 32;

/** One step further. Pure: the same ledger and step give the same ledger. */
export function advance(ledger: Ledger, step: Step, judge: Judge): Ledger {
  return advanceBy(ledger, take(ledger, step, judge), judge);
}

const NOBODY: ReadonlySet<string> = new Set();

/** What is kept of a step, as the next one of its thread. */
export function take(ledger: Ledger, step: Step, { sign, policy, elsewhere = 0 }: Judge): Open<Taken> {
  const print = footprint(step, sign, policy.tools, step.heard.length === 0 ? NOBODY : new Set(ledger.heard));
  const taken: Open<Taken> = { print };
  if (elsewhere !== 0) taken.elsewhere = elsewhere;
  if (print.heard !== "user") return taken;
  const language = languageSpoken(step.heard, policy);
  if (language !== undefined) taken.language = language;
  taken.asked = askedRepeats(step.heard.join("\n"));
  return taken;
}

/** One step further, by a step of which only what was kept is left. */
export function advanceBy(ledger: Ledger, taken: Taken, judge: Judge): Ledger {
  const { print } = taken;
  const { schema, since, purse } = ledger;
  const window = [...ledger.window, print].slice(-WINDOW);
  const total = ledger.total + 1;
  const { decision, memory } = judged(ledger, window, taken, judge.policy);
  const language = taken.language ?? ledger.language;
  const made = blockGoesOn(ledger, print) ?? (decision && record(decision, print, total - 1, language));
  // Written out: what was pending is not taken over, and a literal that begins with a spread costs microseconds.
  const next: Open<Ledger> = {
    schema,
    total,
    carried: ledger.carried + 1,
    root: ledger.root ?? print.key,
    since,
    window,
    heard: print.heardSigs.length === 0 ? ledger.heard : [...ledger.heard, ...print.heardSigs].slice(-MAX_HEARD),
    language,
    asked: taken.asked ?? ledger.asked,
    memory,
    interventions: withOne(ledger.interventions, made),
  };
  if (purse !== undefined) next.purse = purse;
  // What led to a block at this very step has not been answered yet.
  const heeded = bringsNews(print) && isBlocked(ledger) ? lifted(next) : next;
  return taken.intercepted === undefined ? heeded : intercepted(heeded, taken.intercepted);
}

function withOne(made: readonly Intervention[], one: Intervention | undefined): readonly Intervention[] {
  return one === undefined ? made : [...made, one].slice(-MAX_INTERVENTIONS);
}

/** What an answer led to comes after all that was heard before it. */
function intercepted(ledger: Ledger, made: Intervention): Ledger {
  return {
    ...ledger,
    memory: withMade(ledger.memory, made),
    interventions: withOne(ledger.interventions, made),
  };
}

function judged(
  ledger: Ledger,
  window: readonly Footprint[],
  { print, elsewhere = 0, spent = {}, tellings, goal }: Taken,
  policy: Policy,
): { decision: Decision | undefined; memory: Memory } {
  const total = ledger.total + 1;
  const situation = {
    window: window.slice(-(total - ledger.since)),
    total,
    asked: ledger.asked,
    elsewhere,
    spent,
    tellings: tellings?.at ?? [],
    goal,
  };
  const findings = inspect(situation, policy.detectors);
  return decide(findings, ledger.memory, policy, { at: total - 1, userSpoke: print.heard === "user" });
}

/** Harnesses prompt in English whatever the user speaks, and "42" is said in all languages. */
function languageSpoken(said: readonly string[], policy: Policy): Language | undefined {
  if (policy.language !== "auto") return undefined;
  const telling = said.findLast((text) => isNews(text) && /\p{L}/u.test(text));
  return telling === undefined ? undefined : languageOf(telling);
}

export function record(
  decision: Decision,
  print: Pick<Footprint, "key">,
  at: number,
  language: Language,
): Intervention {
  const { detector, grade, loop, count, evidence, tools, about = at, course, note } = decision.finding;
  return {
    at,
    key: print.key,
    about,
    rung: decision.rung,
    detector,
    ...(grade === undefined ? {} : { grade }),
    loop,
    count,
    evidence,
    tools,
    note,
    language,
    ...(course === undefined ? {} : { course }),
  };
}

/** An agent that answers the guard's own final answer with "continue" gets it again: only news lifts a block. */
function blockGoesOn(ledger: Ledger, print: Footprint): Intervention | undefined {
  const last = ledger.interventions.at(-1);
  const isOurs = last?.rung === "short-circuit" && last.at === ledger.total - 1;
  if (!isOurs || print.calls.length > 0 || print.heard === "nothing" || bringsNews(print)) return undefined;
  return { ...last, at: ledger.total, key: print.key, evidence: [...last.evidence, ledger.total].slice(-WINDOW) };
}

/** The guard has taken the run out of the model's hands, and nobody has spoken since. */
function isBlocked(ledger: Ledger): boolean {
  return Object.values(ledger.memory.loops).some((loop) => loop.rung !== "nudge");
}

/** A person spoke after a block: what repeats from here on is counted afresh. */
function lifted(ledger: Ledger): Ledger {
  return { ...ledger, since: ledger.total, memory: noMemory };
}
