import { opinionIn, opinionPrompt } from "../../goal-judge/goal-judge.ts";
import { type LoopCounter, secondOpinionOf } from "../../policy/policy.ts";
import { promptBody } from "../../protocols/protocols.ts";
import { taskAt } from "../../session/session.ts";
import type { JudgeEndpoint } from "./judge-state.ts";
import type { WholeHistory } from "../whole-history.ts";
import { tokensOf } from "./judge-answer.ts";

/**
 * Beside an exchange: where a loop is about to be nudged, a judge is asked whether it is one. A later request goes by what it
 * says: a nudge is said at once, or left out. It ends no run, and nothing waits for it. @throws whatever the stores throw.
 */
export async function askSecondOpinion(whole: WholeHistory): Promise<void> {
  const { evaluated, action, compacts, context, totals = {} } = whole;
  const { judgeState, policy } = context;
  const terms = secondOpinionOf(policy);
  const { endpoint } = judgeState;
  if (terms === undefined || endpoint === undefined || action.kind !== "forward" || compacts) return;
  const { counter } = evaluated.merged.tip;
  const { thread } = evaluated.identity;
  if (counter === undefined || !isNear(counter, terms.lead) || judgeState.opinionOf(thread)?.loop === counter.loop)
    return;
  if ((totals.judgeCalls ?? 0) >= terms.maxCalls || (totals.judgeTokens ?? 0) >= terms.maxTokens) return;
  const room = await judgeState.rooms.begin(`${thread}-opinion`, endpoint.timeoutMs);
  if (room === undefined) return context.meter.judged("skipped", 0, 0);
  try {
    const { conversation } = evaluated.request;
    const task = taskAt(conversation, conversation.steps.length);
    const { answer, ...prompt } = opinionPrompt({
      ...{ conversation, task, terms },
      ...{ seen: counter.note, sign: context.sign },
    });
    const schema = judgeState.isStructured() ? answer : undefined;
    const body = promptBody({ model: endpoint.model, ...prompt, answer: schema });
    await askAndRemember({ whole, counter, body, endpoint });
  } finally {
    room.over();
  }
}

/** What comes next is a nudge, and it is near. */
function isNear({ rung, of, count }: LoopCounter, lead: number): boolean {
  return rung === "nudge" && of - count <= lead;
}

interface Asking {
  readonly whole: WholeHistory;
  readonly counter: LoopCounter;
  readonly body: string;
  readonly endpoint: JudgeEndpoint;
}

async function askAndRemember({ whole, counter, body, endpoint }: Asking): Promise<void> {
  const { context } = whole;
  const { judgeState, meter, log, stores, sessionTtlMs } = context;
  const { identity } = whole.evaluated;
  const start = context.clock();
  const observed = await judgeState.ask(body, endpoint);
  const isAnswered = observed !== undefined && observed.failure === undefined;
  const isRefused = isAnswered && (observed.status < 200 || observed.status >= 300);
  const looping = isAnswered && !isRefused ? opinionIn(observed.answer?.step.text ?? "") : undefined;
  if (isRefused && judgeState.isStructured() && (observed.status === 400 || observed.status === 422))
    judgeState.refusedSchema();
  const outcome = !isAnswered ? "failed" : isRefused ? "refused" : outcomeOf(looping);
  const tokens = tokensOf(observed, body);
  meter.judged(outcome, (context.clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, detector: counter.detector, tokens }, "second-opinion");
  const budgetKey = whole.budgetKey(undefined);
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  if (looping !== undefined) judgeState.opine(identity.thread, { loop: counter.loop, looping });
}

function outcomeOf(looping: boolean | undefined): "confirmed" | "cleared" | "unparsable" {
  if (looping === undefined) return "unparsable";
  return looping ? "confirmed" : "cleared";
}
