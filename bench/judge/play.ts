import { doubtAt, loopPrompt, taskInDoubt } from "../../src/judge/judge.ts";
import { judgeTermsOf, type Opinion, type Policy, type Rung } from "../../src/policy/policy.ts";
import { parseRecorded } from "../../src/protocols/protocols.ts";
import { type Ledger, mergeHistory } from "../../src/session/session.ts";
import type { Conversation } from "../../src/step.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import type { Labelled } from "../detection/data.ts";

/** What a judge says: whether the run goes in circles. Undefined: there is no answer to this question. */
export type Answers = ReadonlyMap<string, boolean>;

/** A question at one step of a conversation. */
export interface JudgePrompt {
  readonly id: string;
  /** Index of the newest step that is shown. */
  readonly turn: number;
  /** System and user text, one after the other. */
  readonly prompt: string;
  readonly looping: boolean | undefined;
}

/** Flag: something was done at a turn. */
export interface JudgedFlag {
  readonly turn: number;
  readonly rung: Rung;
  readonly by: string;
}

/** One conversation, played request by request, with a judge's answers between them. */
export interface PlayedWithJudge {
  readonly of: Labelled;
  readonly steps: number;
  readonly flags: readonly JudgedFlag[];
  readonly prompts: readonly JudgePrompt[];
}

const sign = keyedHash("judge");

function heeding(opinion: Opinion | undefined) {
  return opinion === undefined ? {} : { heed: () => ({ opinion }) };
}

/** Each answer is there for the next request. @param name of the conversation, for the questions' ids */
export function playWithJudge(of: Labelled, name: string, policy: Policy, answers: Answers): PlayedWithJudge {
  const conversation = parseRecorded({ messages: of.messages })?.conversation;
  const flags: JudgedFlag[] = [];
  const prompts: JudgePrompt[] = [];
  const terms = judgeTermsOf(policy);
  let record: Ledger | undefined;
  let opinion: Opinion | undefined;
  const steps = conversation?.steps ?? [];
  for (const turn of steps.keys()) {
    if (conversation === undefined) break;
    const told: Conversation = { ...conversation, steps: steps.slice(0, turn + 1) };
    const merged = mergeHistory(record, told, { sign, policy, ...heeding(opinion) });
    record = merged.save ?? record;
    const done = merged.now?.intervention;
    if (done !== undefined) flags.push({ turn, rung: done.rung, by: done.detector });
    if (done?.rung === "short-circuit") break;
    const doubt = terms && doubtAt(merged.tip, terms, prompts.at(-1)?.turn);
    if (terms === undefined || doubt === undefined || prompts.length >= terms.maxCalls) continue;
    const task = taskInDoubt(told, doubt);
    const { system, text } = loopPrompt({ conversation: told, task, seen: doubt.seen, terms, sign });
    const id = `${name}@${turn}`;
    const looping = answers.get(id);
    prompts.push({ id, turn, prompt: `${system}\n\n${text}`, looping });
    if (looping !== undefined) opinion = { loop: doubt.loop, at: turn, looping };
  }
  return { of, steps: steps.length, flags, prompts };
}
