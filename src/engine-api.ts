import { type DetectorSettings, type Finding, inspect } from "./engine/engine.ts";
import { keyedHash, randomSecret } from "./text/keyed-hash.ts";
import { finalText, forceDoneNote, nudgeNote, type Policy, policyNamed, type Rung } from "./policy/policy.ts";
import { advance, emptyLedger, type Intervention, type Ledger, ledgerText, readLedger } from "./session/session.ts";
import type { Step } from "./step.ts";

// The package's entry `unloop/engine`: detection without the proxy, for an agent loop of your own or for recorded runs. What is
// exported here is public: it changes only with a version that says so in the changelog. Anything deeper is not.

export { type DetectorName, detectorNames } from "./engine/engine.ts";
export { type Ladder, type LadderName, type Policy, policyFrom, presetNames, type Rung } from "./policy/policy.ts";
export type { Call, Outcome, Step } from "./step.ts";

/** One loop, seen at one step: which, how often, at which steps (from 0), and one sentence without any of the run's texts. */
export type LoopFinding = Pick<Finding, "detector" | "grade" | "loop" | "count" | "evidence" | "tools" | "note">;

/** Options of a watch; each may be left out. */
export interface WatchOptions {
  /** A preset's name, a policy as JSON text, or a policy of your own (`policyFrom` makes one); `default` without it. */
  readonly policy?: string | Policy;
  /** Task of the user. It decides what counts as a loop: a user who asks for five runs gets five. */
  readonly task?: string;
  /** Keys the signatures. Give one if you `save`: what was saved under another one is not recognised. */
  readonly secret?: string;
  /** State from an earlier `save`. Without it, or with any other text, a new run begins. */
  readonly saved?: string;
}

/** Result of watching one step. */
export interface Observation {
  /** Findings of all detectors at this step, whatever their count. Most are no reason to act (`budget` counts every step). */
  readonly findings: readonly LoopFinding[];
  /** Action that the policy asks for now. Undefined: let the agent go on. */
  readonly intervention: Advice | undefined;
}

/** A rung that is reached, with the words for it. */
export interface Advice {
  readonly rung: Rung;
  readonly detector: Finding["detector"];
  readonly count: number;
  /** The loop's identity: the same for every turn and rotation of the same loop. */
  readonly loop: string;
  /** Summary for a log: one sentence without any text of the conversation. */
  readonly note: string;
  /** Text to add to the model's next input (`nudge`, `force-done`), or to return as the final answer (`short-circuit`). */
  readonly text: string;
}

/** Watch over one run. */
export interface RunWatch {
  /** Takes the next step in: a turn of the assistant with the outcomes of all its calls. */
  observe(step: Step): Observation;
  /** The run so far as text: signatures, names and counts, and no word of the conversation. At most some ten kilobytes. */
  save(): string;
}

/**
 * Watches one run of one agent, step by step. Nothing is sent or read from anywhere.
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid.
 */
export function watchRun({ policy: policyOption = "default", task = "", secret, saved }: WatchOptions = {}): RunWatch {
  const policy = policyNamed(policyOption);
  const evaluation = { sign: keyedHash(secret ?? randomSecret()), policy };
  const conversation = { system: "", opening: task === "" ? [] : [task], steps: [] };
  let ledger = (saved === undefined ? undefined : readLedger(saved)) ?? emptyLedger(conversation, evaluation);
  return {
    observe(step) {
      requireStep(step);
      ledger = advance(ledger, step, evaluation);
      const intervention = ledger.interventions.at(-1);
      return {
        findings: findingsAt(ledger, policy.detectors),
        intervention: intervention?.at === ledger.total - 1 ? adviceFor(intervention, step, task, policy) : undefined,
      };
    },
    save: () => ledgerText(ledger),
  };
}

/** A caller without types learns which field is missing. */
function requireStep({ text, calls, heard }: Partial<Step> = {}): void {
  const wrong = typeof text === "string" ? (Array.isArray(calls) ? "heard" : "calls") : "text";
  if (wrong === "heard" && Array.isArray(heard)) return;
  const what = wrong === "text" ? 'a text, "" if nothing was said' : "a list, [] if there are none";
  throw new TypeError(`observe(step): step.${wrong} must be ${what}.`);
}

/** Steps before a user's message that lifted a block do not count. */
function findingsAt(
  { window, total, since, requestedRepeats }: Ledger,
  settings: DetectorSettings | undefined,
): readonly Finding[] {
  const counted = total - since;
  return counted === 0
    ? []
    : inspect({ window: window.slice(-counted), total, requestedRepeats, elsewhere: 0 }, settings);
}

function adviceFor(intervention: Intervention, step: Step, task: string, policy: Policy): Advice {
  const { rung, detector, count, loop, note } = intervention;
  return { rung, detector, count, loop, note, text: textFor(intervention, step, task, policy) };
}

function textFor(intervention: Intervention, step: Step, task: string, policy: Policy): string {
  const { rung, language } = intervention;
  if (rung === "nudge") return nudgeNote(intervention, step, language, policy);
  if (rung === "force-done") return forceDoneNote(intervention, step, task, undefined, language, policy);
  return finalText(intervention, step, language, policy);
}
