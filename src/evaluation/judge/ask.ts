import type { promptFor } from "../../goal-judge/goal-judge.ts";
import { type Identity, tokenTally } from "../../session/session.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import type { Observed } from "../outcome.ts";
import type { AskedJudge } from "./asked-judge.ts";

/** A question to a judge. */
export interface JudgeQuestion<Said> {
  readonly judge: AskedJudge;
  readonly identity: Identity;
  /** Of one name the newest question alone waits for its turn. */
  readonly name: string;
  /** Under which its cost is counted; undefined if that cannot be told yet. */
  readonly budgetKey: SessionKey | undefined;
  /** On the guard's clock, in milliseconds; undefined where nothing waits for it. */
  readonly deadline: number | undefined;
  prompt(): ReturnType<typeof promptFor>;
  /** What a text says; undefined where it does not answer the question. */
  read(text: string): Said | undefined;
  /** For metrics and the log. */
  readonly event: "judged" | "second-opinion";
  outcomeOf(said: Said): string;
  factsOf(said: Said | undefined): object;
}

/** Whether a session's budget for judges allows another question. */
export function isAffordable(
  { judgeCalls = 0, judgeTokens = 0 }: Totals,
  { maxCalls, maxTokens }: { readonly maxCalls: number; readonly maxTokens: number },
): boolean {
  return judgeCalls < maxCalls && judgeTokens < maxTokens;
}

/** Asks a judge when it is the thread's turn, and counts the cost. Undefined where no answer came. @throws whatever the stores throw */
export async function askInTurn<Said>(
  question: JudgeQuestion<Said>,
  context: RequestContext,
): Promise<Said | undefined> {
  const { judge, deadline, name, event, identity } = question;
  const patience = deadline === undefined ? judge.timeoutMs : deadline - context.clock();
  const slot = await context.judgeState.queue.begin(name, patience);
  if (slot === undefined) {
    context.meter.judged("skipped", 0, 0);
    context.log.debug({ session: identity.label, outcome: "skipped" }, event);
    return undefined;
  }
  try {
    return await ask(question, context);
  } finally {
    slot.over();
  }
}

async function ask<Said>(question: JudgeQuestion<Said>, context: RequestContext): Promise<Said | undefined> {
  const { judge, deadline, event, identity, budgetKey } = question;
  const { meter, log, stores, sessionTtlMs } = context;
  const { isStructured, ...written } = judge.question(question.prompt());
  const start = context.clock();
  const timeoutMs = deadline === undefined ? judge.timeoutMs : Math.max(1, Math.ceil(deadline - start));
  const observed = await judge.send(written, timeoutMs);
  const { failure, said } = understood(observed, question);
  if (failure === "refused" && isStructured && (observed?.status === 400 || observed?.status === 422))
    judge.refusedSchema();
  const outcome = said === undefined ? (failure ?? "unparsable") : question.outcomeOf(said);
  const tokens = tokensOf(observed, written.body);
  meter.judged(outcome, (context.clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, ...question.factsOf(said), tokens }, event);
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  return said;
}

interface Understood<Said> {
  /** `refused`: an error in the place of an answer; `failed`: none in time. */
  readonly failure?: "refused" | "failed";
  readonly said?: Said | undefined;
}

function understood<Said>(observed: Observed | undefined, { read }: JudgeQuestion<Said>): Understood<Said> {
  if (observed === undefined || observed.failure !== undefined) return { failure: "failed" };
  if (observed.status < 200 || observed.status >= 300) return { failure: "refused" };
  return { said: observed.answer && read(observed.answer.step.text) };
}

/** Usage of a judge's answer, estimated where the endpoint gives none; a question that was never answered counts as asked. */
function tokensOf(observed: Observed | undefined, question: string): number {
  const usage = observed?.answer?.usage;
  if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
  const tally = tokenTally();
  tally.add(question);
  return tally.tokens();
}
