import type { Prompt } from "../../goal-judge/goal-judge.ts";
import { chatCompletions, type Protocol } from "../../protocols/protocols.ts";
import { tokenTally } from "../../session/session.ts";
import type { RequestContext } from "../context.ts";
import type { Observed } from "../outcome.ts";
import type { AdvisedRun } from "./advice.ts";
import type { JudgeState } from "./judge-state.ts";

/** Sends a question where the run's own requests go, with the run's own key; undefined where it came to no answer. */
export type AskUpstream = (question: UpstreamQuestion, timeoutMs: number) => Promise<Observed | undefined>;

type UpstreamQuestion = ReturnType<Protocol["question"]>;

/** A judge as one question sees it. */
export interface AskedJudge {
  /** For one question; there is no second try. */
  readonly timeoutMs: number;
  /** A question, and whether it has a schema for the answer. */
  question(prompt: Prompt): UpstreamQuestion & { readonly isStructured: boolean };
  send(question: UpstreamQuestion, timeoutMs: number): Promise<Observed | undefined>;
  /** It has refused a question with a schema. */
  refusedSchema(): void;
}

/** The server's judge; undefined where there is none. */
export function ownJudge({ endpoint, ask, isStructured, refusedSchema }: JudgeState): AskedJudge | undefined {
  if (endpoint === undefined) return undefined;
  const { model, timeoutMs } = endpoint;
  return {
    timeoutMs,
    question(prompt) {
      const answer = isStructured() ? prompt.answer : undefined;
      const question = chatCompletions.question({ model, ...prompt, answer }, chatCompletions.path);
      return { ...question, isStructured: answer !== undefined };
    },
    send: ({ body }, withinMs) => ask(body, { ...endpoint, timeoutMs: withinMs }),
    refusedSchema,
  };
}

const UPSTREAM_TIMEOUT_MS = 30_000;

/** A model of the run's own upstream, asked in the run's own wire format. @param target of the run's own request */
export function upstreamJudge(
  model: string,
  target: string,
  send: AskUpstream,
  { protocol, judgeState }: Pick<RequestContext, "protocol" | "judgeState">,
): AskedJudge {
  return {
    timeoutMs: judgeState.endpoint?.timeoutMs ?? UPSTREAM_TIMEOUT_MS,
    // Which upstreams take a schema is not known; the prompt asks for the form in words.
    question: (prompt) => ({
      ...protocol.question({ model, ...prompt, answer: undefined }, target),
      isStructured: false,
    }),
    send,
    refusedSchema: () => undefined,
  };
}

/** A question to a judge. */
export interface JudgeQuestion<Said> {
  /** For metrics and the log; of one kind the newest question of a thread alone waits for its turn. */
  readonly kind: "judged" | "second-opinion";
  readonly judge: AskedJudge;
  /** On the guard's clock, in milliseconds; undefined where nothing waits for it. */
  readonly deadline?: number | undefined;
  prompt(): Prompt;
  /** What a text says; undefined where it does not answer the question. */
  read(text: string): Said | undefined;
  outcomeOf(said: Said): string;
  factsOf(said: Said | undefined): object;
}

/** Whether a session's budget for judges allows another question. */
export function isAffordable(
  { totals: { judgeCalls = 0, judgeTokens = 0 } }: AdvisedRun,
  { maxCalls, maxTokens }: { readonly maxCalls: number; readonly maxTokens: number },
): boolean {
  return judgeCalls < maxCalls && judgeTokens < maxTokens;
}

/** Asks a judge when it is the thread's turn, and counts the cost. Undefined where no answer came. @throws whatever the stores throw */
export async function ask<Said>(
  question: JudgeQuestion<Said>,
  run: AdvisedRun,
  context: RequestContext,
): Promise<Said | undefined> {
  const { judge, deadline, kind } = question;
  const { thread, label: session } = run.identity;
  const patience = deadline === undefined ? judge.timeoutMs : deadline - context.clock();
  const slot = await context.judgeState.queue.begin(`${thread}-${kind}`, patience);
  if (slot === undefined) {
    context.meter.judged("skipped", 0, 0);
    context.log.debug({ session, outcome: "skipped" }, kind);
    return undefined;
  }
  try {
    return await sendAndCount(question, run, context);
  } finally {
    slot.over();
  }
}

async function sendAndCount<Said>(
  question: JudgeQuestion<Said>,
  { identity, budgetKey }: AdvisedRun,
  { meter, log, stores, sessionTtlMs, clock }: RequestContext,
): Promise<Said | undefined> {
  const { judge, deadline, kind } = question;
  const { isStructured, ...written } = judge.question(question.prompt());
  const start = clock();
  const timeoutMs = deadline === undefined ? judge.timeoutMs : Math.max(1, Math.ceil(deadline - start));
  const observed = await judge.send(written, timeoutMs);
  const failure = failureOf(observed);
  const said = failure === undefined ? observed?.answer && question.read(observed.answer.step.text) : undefined;
  if (isStructured && (observed?.status === 400 || observed?.status === 422)) judge.refusedSchema();
  const outcome = said === undefined ? (failure ?? "unparsable") : question.outcomeOf(said);
  const tokens = tokensOf(observed, written.body);
  meter.judged(outcome, (clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, ...question.factsOf(said), tokens }, kind);
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  return said;
}

/** `refused`: an error in the place of an answer; `failed`: none in time. */
function failureOf(observed: Observed | undefined): "refused" | "failed" | undefined {
  if (observed === undefined || observed.failure !== undefined) return "failed";
  return observed.status < 200 || observed.status >= 300 ? "refused" : undefined;
}

/** Usage of a judge's answer, estimated where the endpoint gives none; a question that was never answered counts as asked. */
function tokensOf(observed: Observed | undefined, question: string): number {
  const usage = observed?.answer?.usage;
  if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
  const tally = tokenTally();
  tally.add(question);
  return tally.tokens();
}
