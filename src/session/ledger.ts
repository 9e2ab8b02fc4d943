import {
  askedRepeats,
  type Footprint,
  footprint,
  heardSignature,
  inspect,
  isNews,
  type Sign,
  WINDOW,
} from "../engine/engine.ts";
import {
  type Decision,
  decide,
  type Language,
  languageOf,
  type Memory,
  noMemory,
  type Policy,
  type Rung,
} from "../policy/policy.ts";
import type { Conversation, Step } from "../step.ts";

/** Raised when the saved form changes; another number is not read. */
const SCHEMA = 1;
/** Interventions that can still be shown again in their place. */
const MAX_INTERVENTIONS = 32;
/** What users said that is still known. */
const MAX_HEARD = 64;

/** A rung carried out (or, in observe mode, only noted) at a step. Holds no text of the conversation. */
export interface Intervention {
  /** Index of the step in its thread. */
  readonly at: number;
  /** That step's key: it is found again by this after its history was shortened. */
  readonly key: string;
  readonly rung: Rung;
  readonly detector: Decision["finding"]["detector"];
  readonly grade?: string;
  readonly loop: string;
  readonly count: number;
  readonly evidence: readonly number[];
  readonly note: string;
  readonly language: Language;
}

/** What is known of a thread, its last step not included: that one may still get outcomes. Plain JSON, bounded. */
export interface Ledger {
  readonly schema: number;
  /** Steps of the thread so far. */
  readonly total: number;
  /** How many of them the last request carried; fewer after the client shortened its history. */
  readonly carried: number;
  /** Key of the first step that the last request carried. */
  readonly root: string | undefined;
  /** Index of the first step that counts: what came before a person lifted a block does not. */
  readonly since: number;
  readonly window: readonly Footprint[];
  /** Signatures of what users said, oldest first. */
  readonly heard: readonly string[];
  readonly language: Language;
  /** How often the user asked for the same thing to be done. */
  readonly asked: number;
  readonly memory: Memory;
  readonly interventions: readonly Intervention[];
}

/** What turns steps into footprints and findings into decisions. */
export interface Judge {
  readonly sign: Sign;
  readonly policy: Policy;
}

export function emptyLedger(conversation: Conversation, judge: Judge): Ledger {
  const task = conversation.opening.findLast(isNews) ?? "";
  return {
    schema: SCHEMA,
    total: 0,
    carried: 0,
    root: undefined,
    since: 0,
    window: [],
    heard: conversation.opening.slice(-MAX_HEARD).map((text) => heardSignature(text, judge.sign)),
    language: languageOf(task),
    asked: askedRepeats(task),
    memory: noMemory,
    interventions: [],
  };
}

/** Undefined for anything that is not a ledger of this version. */
export function readLedger(json: string): Ledger | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isLedger(value) ? value : undefined;
  } catch {
    // A record cut short or written by something else is no record: the history tells the rest.
    return undefined;
  }
}

/** Deep enough that what was cut, or written by hand, cannot break a request. */
function isLedger(value: unknown): value is Ledger {
  if (typeof value !== "object" || value === null) return false;
  const { schema, total, carried, since, asked, window, heard, memory, interventions } = value as Partial<Ledger>;
  return (
    schema === SCHEMA &&
    [total, carried, since, asked].every((count) => typeof count === "number" && count >= 0) &&
    Array.isArray(window) &&
    window.every((print) => Array.isArray(print?.calls) && typeof print.key === "string") &&
    Array.isArray(heard) &&
    Array.isArray(interventions) &&
    typeof memory?.loops === "object" &&
    memory.loops !== null
  );
}

/** One step further. Pure: the same ledger and step give the same ledger. */
export function advance(ledger: Ledger, step: Step, judge: Judge): Ledger {
  const print = footprint(step, judge.sign, judge.policy.tools, new Set(ledger.heard));
  const window = [...ledger.window, print].slice(-WINDOW);
  const total = ledger.total + 1;
  const userSpoke = print.heard === "user";
  const language = languageAfter(ledger, userSpoke ? step.heard : [], judge.policy);
  const moment = { at: total - 1, userSpoke };
  const { decision, memory } = decide(
    inspect(window.slice(-(total - ledger.since)), total, ledger.asked),
    ledger.memory,
    judge.policy,
    moment,
  );
  const interventions =
    decision === undefined
      ? ledger.interventions
      : [...ledger.interventions, record(decision, print, total - 1, language)];
  const next: Ledger = {
    ...ledger,
    total,
    carried: ledger.carried + 1,
    root: ledger.root ?? print.key,
    window,
    heard: [...ledger.heard, ...print.heardSigs].slice(-MAX_HEARD),
    language,
    asked: userSpoke ? askedRepeats(step.heard.join("\n")) : ledger.asked,
    memory,
    interventions: interventions.slice(-MAX_INTERVENTIONS),
  };
  return userSpoke && isBlocked(next) ? lifted(next) : next;
}

/** Harnesses prompt in English whatever the user speaks, and "42" is said in all languages. */
function languageAfter(ledger: Ledger, said: readonly string[], policy: Policy): Language {
  if (policy.language !== "auto") return policy.language;
  const telling = said.findLast((text) => isNews(text) && /\p{L}/u.test(text));
  return telling === undefined ? ledger.language : languageOf(telling);
}

function record(decision: Decision, print: Footprint, at: number, language: Language): Intervention {
  const { detector, grade, loop, count, evidence, note } = decision.finding;
  return {
    at,
    key: print.key,
    rung: decision.rung,
    detector,
    ...(grade === undefined ? {} : { grade }),
    loop,
    count,
    evidence,
    note,
    language,
  };
}

/** The guard has taken the run out of the model's hands, and nobody has spoken since. */
function isBlocked(ledger: Ledger): boolean {
  return Object.values(ledger.memory.loops).some((loop) => loop.rung !== "nudge");
}

/** A person spoke after a block: what repeats from here on is counted afresh. */
function lifted(ledger: Ledger): Ledger {
  return { ...ledger, since: ledger.total, memory: noMemory };
}
