import {
  type Fingerprint,
  type GoalChange,
  heardSignature,
  isNews,
  type RunUsage,
  standingWish,
  stepKey,
  type Wish,
  wishIn,
} from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import {
  type Decision,
  type Language,
  languageOf,
  type LoopCounter,
  type Memory,
  noMemory,
  type Policy,
  type Rung,
  type Opinion,
} from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import type { SessionKey } from "../../store/store.ts";
import { textWork, type Work } from "../../work.ts";
import { randomIds } from "../identity/identify.ts";

/** Raised when the saved form changes; another number is not read. */
export const SCHEMA = 11;
export const MAX_HEARD = 64;

type Found = Pick<
  Decision["finding"],
  "detector" | "grade" | "outcome" | "loop" | "count" | "evidence" | "tools" | "note" | "course"
>;

/** Intervention: a rung carried out (or, in observe mode, only noted) at a step. Holds no text of the conversation. */
export interface Intervention extends Found {
  readonly at: number;
  readonly key: string;
  /** Index of the step that it speaks about; an earlier one where a block only goes on. */
  readonly about: number;
  readonly rung: Rung;
  /** Repetitions, and how many of them have led to it: `2/2`. */
  readonly repeats?: string;
  readonly language: Language;
  /** Made when an answer would have completed the loop: what it speaks about was asked for once more and not done. */
  readonly foreseen?: true;
}

/** Positioned intervention: one whose step the request still carries, so that its note can be shown in its place. */
export interface PositionedIntervention {
  readonly intervention: Intervention;
  readonly step: number;
  /** Index of the step it speaks about; that step itself where the one it means is gone from the history. */
  readonly about: number;
  readonly judgeText?: string;
}

/** The arrivals of one request that were each answered whole and alike. */
export interface Arrivals {
  /** Times; Unix seconds, oldest first. */
  readonly at: readonly number[];
  /** Signature of what it asks for beside its conversation: at another temperature it is another request. */
  readonly terms: string;
  /** Signature of their answer; empty once two have differed: those are samples, and never count again. */
  readonly answer: string;
}

export type Arrival = Pick<Arrivals, "terms"> & { readonly at: number };

export interface StepRecord {
  readonly fingerprint: Fingerprint;
  readonly prefix: string;
  readonly language?: Language | undefined;
  readonly requestedRepeats?: number | undefined;
  readonly userItems?: Wish["userItems"] | undefined;
  readonly resultItems?: Wish["userItems"] | undefined;
  /** Steps that the session had taken elsewhere when it was first judged, if any: it is judged by that to the end. */
  readonly elsewhere?: number | undefined;
  /** What the session had used up, as far as that is limited, and what a judge had said, when it was a request's last step. */
  readonly usage?: RunUsage | undefined;
  readonly goalChange?: GoalChange | undefined;
  readonly opinion?: Opinion | undefined;
  readonly compacted?: true | undefined;
  readonly arrivals?: Arrivals | undefined;
  /** What the answer to the request that ended with this step led to, if it did not reach the client as it was. */
  readonly intercepted?: Intervention | undefined;
  /** The run was over with it; only of answers that were relayed. */
  readonly ends?: true | undefined;
}

/** Open step: the half of a step that its answer has shown when it passed, for requests that tell only what came of it. */
export interface OpenStep {
  readonly fingerprint: Fingerprint;
  readonly calls?: readonly Fingerprint[] | undefined;
  /** How many steps the thread had when it was given: it is the step of this index. */
  readonly at: number;
  /** Signatures of the last lines that it said, by which a prompt's step is known to be this one. */
  readonly said: readonly string[];
  readonly ends?: true | undefined;
}

/** Advice of a judge on a run after one of its steps. Holds no text: what it names are signatures. */
export interface JudgeAdvice {
  /** Index of that step in its thread, and its key: equal steps may have equal ones. */
  readonly at: number;
  readonly key: string;
  readonly score?: StepScore | undefined;
  readonly opinion?: Opinion | undefined;
}

export interface StepScore {
  /** From 0 (far) to 10 (reached). */
  readonly distance: number;
  readonly before?: number | undefined;
  readonly met: boolean;
  readonly reachable: boolean;
  /** What has not been tried from here; missing where the judge does not say. */
  readonly open?: readonly string[] | undefined;
  readonly why: string;
}

export type AdvisedRun = Pick<Ledger, "window" | "total" | "interventions" | "advice">;

/** Some agents add each turn's calls to one assistant message, as if it were one parallel turn: only the requests before show which came together. */
export interface AppendedMessage {
  /** Which of the messages that tell steps it is, from 0. */
  readonly at: number;
  /** Where each of its turns ends: calls and characters of text up to there. Of a message that has not grown one alone. */
  readonly ends: readonly TurnEnd[];
}

export type TurnEnd = readonly [calls: number, characters: number];

/** Ledger: what is known of a thread. Plain JSON, bounded. */
export interface Ledger {
  readonly schema: number;
  readonly total: number;
  /** Number of them in the last request; fewer after the client shortened its history. */
  readonly carried: number;
  /** Key of the first step that the last request carried; undefined while a history begins later than the thread. */
  readonly root: string | undefined;
  readonly prefix: string;
  /** Index of the first step that counts: what came before a person lifted a block does not. */
  readonly since: number;
  readonly window: readonly Fingerprint[];
  readonly heard: readonly string[];
  readonly language: Language;
  readonly requestedRepeats: number;
  readonly userItems?: Wish["userItems"] | undefined;
  /** What the system text wishes for. */
  readonly standing?: Wish | undefined;
  readonly resultItems?: Wish["userItems"] | undefined;
  readonly compactions?: readonly number[] | undefined;
  readonly memory: Memory;
  readonly interventions: readonly Intervention[];
  readonly counter?: LoopCounter | undefined;
  /** Session id that its first request was given, where the run has no other name. */
  readonly name?: string | undefined;
  /** The session that its budget is counted under, where it goes by another name by now. */
  readonly budgetKey?: SessionKey | undefined;
  /** The newest answer's half; only where requests do not tell what was called. */
  readonly open?: OpenStep | undefined;
  /** The calls by which the guard has ended the run, as their signature: a client that carries them out and goes on has heard nothing new. */
  readonly endedBy?: string | undefined;
  /** The messages of the last request that were added to turn by turn, and its newest one. */
  readonly grown?: readonly AppendedMessage[] | undefined;
  readonly advice?: readonly JudgeAdvice[] | undefined;
  /** The last step of the last request: not counted yet, since it may still get outcomes. */
  readonly pending?: StepRecord | undefined;
}

export interface EvaluationContext {
  readonly sign: Sign;
  readonly policy: Policy;
  /** Steps that the session has taken in its other threads; 0 without it. */
  readonly elsewhere?: number | undefined;
  /** Usage of the session when the request came, as far as the policy limits it. */
  readonly usage?: RunUsage | undefined;
  /** What follows from judges' advice for a request's last step; the same each time that one request is merged. Without it no judge is heard. */
  readonly heed?:
    | ((run: AdvisedRun) => {
        readonly goalChange?: GoalChange | undefined;
        readonly opinion?: Opinion | undefined;
      })
    | undefined;
  readonly compacts?: boolean | undefined;
  /** Undefined where repeated requests are not counted, and for a declared retry. */
  readonly arrival?: Arrival | undefined;
  /** Undefined where requests tell what was called themselves. */
  readonly open?: OpenStep | undefined;
  /** Index of the first step that the request tells, where it names the answer that it goes on from. */
  readonly goesOnAt?: number | undefined;
  /** What may still be done for the request; that of a fresh one without it. */
  readonly work?: Work | undefined;
  /** The part of it for comparing steps; all of it where that is not said. */
  readonly comparing?: Work | undefined;
}

export function present<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

export function reach(ledger: Ledger | undefined): number {
  return ledger === undefined ? 0 : ledger.total + (ledger.pending === undefined ? 0 : 1);
}

export function knownKeys({ window, pending }: Ledger): ReadonlySet<string> {
  return new Set([...window, ...(pending ? [pending.fingerprint] : [])].map(({ key }) => key));
}

/** Hash of a thread's steps so far, with what came back and what was heard where a step's ids do not tell its run from all others. */
export function prefixAfter(before: string, step: Step, sign: Sign): string {
  const key = stepKey(step, sign);
  if (randomIds(step) !== undefined) return sign(`prefix\u0000${before}\u0000${key}`);
  const outcomes = step.calls.map(({ outcome }) => `\u0000${outcome?.text ?? ""}`);
  const heard = step.heard.map((text) => `\u0000${text}`);
  return sign(`prefix\u0000${before}\u0000${key}\u0000${step.text}${outcomes.join("")}\u0000\u0001${heard.join("")}`);
}

/** All members are there: a copy with others of the same names is cheap, and one with new names is not. */
export const EMPTY: Ledger = {
  ...{ schema: SCHEMA, total: 0, carried: 0, root: undefined, prefix: "", since: 0, window: [], heard: [] },
  ...{ language: "en", requestedRepeats: 0, memory: noMemory, interventions: [], counter: undefined },
  ...{ userItems: undefined, standing: undefined, resultItems: undefined, compactions: undefined, name: undefined },
  ...{ budgetKey: undefined, open: undefined, endedBy: undefined, grown: undefined, advice: undefined },
  pending: undefined,
};

export function emptyLedger(conversation: Conversation, evaluation: EvaluationContext): Ledger {
  const task = conversation.opening.findLast(isNews) ?? "";
  const standing = standingWish(conversation.system);
  const { requestedRepeats, userItems } = wishIn(task, standing);
  return {
    ...EMPTY,
    userItems: userItems === "" ? undefined : userItems,
    standing,
    heard: newestReadable(conversation.opening.slice(-MAX_HEARD), (text) => [text], evaluation.work).map((text) =>
      heardSignature(text, evaluation.sign),
    ),
    language: evaluation.policy.language === "auto" ? languageOf(task) : evaluation.policy.language,
    requestedRepeats,
  };
}

/** What the steps of a request may cost together. */
export const MOST_READABLE = 3_000_000;

/** The newest of these texts that may be read together. */
export function newestReadable<Item>(items: readonly Item[], textsOf: (item: Item) => readonly string[], work?: Work) {
  let left = MOST_READABLE / 2;
  const first = items.findLastIndex((item) => {
    left -= textsOf(item).reduce((units, text) => units + textWork(text), 0);
    return left < 0;
  });
  work?.spend(MOST_READABLE / 2 - Math.max(0, left));
  return items.slice(first + 1);
}
