import { doubtIn, stepKey } from "../engine/engine.ts";
import { type JudgeTerms, judgeTermsOf, type Policy } from "../policy/policy.ts";
import { type Answer, chatCompletions, type Protocol } from "../protocols/protocols.ts";
import {
  type EvaluationContext,
  type Identity,
  type JudgeAdvice,
  type Ledger,
  type MergeResult,
  type PositionedIntervention,
  saveAdvice,
  type StoredLedger,
  taskAt,
  tokenTally,
} from "../session/session.ts";
import type { Conversation } from "../step.ts";
import type { SessionKey, Stores, ThreadKey, Totals } from "../store/store.ts";
import { BoundedMap } from "../text/bounded-map.ts";
import type { Sign } from "../text/sign.ts";
import { shownBy } from "./actions.ts";
import { type AdvisedRun, goalChangeIn, isHarness, isScoreDue, planIn } from "./plan-view.ts";
import { goalPrompt, goalScoreIn, goalTask, loopPrompt, opinionIn, type Prompt } from "./prompt.ts";
import { judgeQueue } from "./queue.ts";

export { reversalCall } from "./actions.ts";
export { loopPrompt } from "./prompt.ts";

/** Where a judge is asked: any endpoint that understands chat completions. */
export interface JudgeEndpoint {
  readonly upstream: URL;
  readonly key: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

interface JudgeReply {
  readonly status: number;
  readonly answer: Answer | undefined;
  readonly failure?: unknown;
}

/** Sends one question to the server's judge; undefined where it came to no answer. */
export type SendToJudge = (body: string, endpoint: JudgeEndpoint) => Promise<JudgeReply | undefined>;

/** Sends one where the run's own requests go, with the run's own key. */
export type SendUpstream = (
  question: ReturnType<Protocol["question"]>,
  timeoutMs: number,
) => Promise<JudgeReply | undefined>;

export interface JudgeState {
  readonly endpoint: JudgeEndpoint | undefined;
  readonly send: SendToJudge;
  readonly queue: ReturnType<typeof judgeQueue>;
  /** Whether the endpoint takes a schema for its answer, as far as is known. */
  isStructured: boolean;
  /** Index of a thread's newest step that was asked about, whatever came of it. */
  readonly askedAt: Map<ThreadKey, number>;
  /** What a judge has said, and the state that a prompt without a history has shown it, by their signatures: they live here alone. */
  readonly texts: Map<string, string>;
}

/** Questions under way at a time, by this process. */
const MAX_CONCURRENT = 8;
const MAX_REMEMBERED = 5_000;

export function judgeState(endpoint: JudgeEndpoint | undefined, send: SendToJudge): JudgeState {
  const known = {
    askedAt: new BoundedMap<ThreadKey, number>(MAX_REMEMBERED),
    texts: new BoundedMap<string, string>(MAX_REMEMBERED),
  };
  return { endpoint, send, queue: judgeQueue(MAX_CONCURRENT), isStructured: true, ...known };
}

export interface JudgeContext {
  readonly policy: Policy;
  readonly sign: Sign;
  readonly protocol: Protocol;
  readonly judgeState: JudgeState;
  readonly stores: Stores;
  readonly sessionTtlMs: number;
  readonly clock: () => number;
  readonly meter: { judged(outcome: string, seconds: number, tokens: number): void };
  readonly log: { debug(facts: object, event: string): void };
}

export interface JudgedRun {
  /** With the request's last step counted. */
  readonly tip: Ledger;
  readonly stored: StoredLedger;
  readonly conversation: Conversation;
  readonly identity: Identity;
  readonly totals: Totals;
  /** Under which the cost is counted; undefined if that cannot be told yet. */
  readonly budgetKey: SessionKey | undefined;
  readonly isNearRung: boolean;
  /** For a policy that names a model of the run's own upstream. @property target path and query of the request */
  readonly upstream?: { readonly target: string; readonly send: SendUpstream };
  /** In milliseconds; without it nothing waits. */
  readonly within?: number;
}

/** The one reading of what judges have said: what follows from it for a request's last step, the same each time that it is merged. */
export function heeding(
  conversation: Conversation,
  policy: Policy,
  isTold: boolean,
): NonNullable<EvaluationContext["heed"]> {
  const terms = judgeTermsOf(policy);
  let heeded: ReturnType<NonNullable<EvaluationContext["heed"]>> | undefined;
  return (run) => (heeded ??= terms === undefined ? {} : heed(run, conversation, { ...terms, isTold }));
}

function heed(run: AdvisedRun, conversation: Conversation, terms: JudgeTerms & { readonly isTold: boolean }) {
  if (terms.asks === "goal") {
    const goalChange = goalChangeIn(planIn(run, conversation, terms), run, terms);
    return goalChange === undefined ? {} : { goalChange };
  }
  const opinion = run.advice?.findLast((one) => one.opinion !== undefined)?.opinion;
  return opinion === undefined ? {} : { opinion };
}

/** Interventions with what a judge has said to them, as far as this process remembers it. */
export function withJudgeTexts(merged: MergeResult, { texts }: JudgeState): MergeResult {
  const worded = (placed: PositionedIntervention): PositionedIntervention => {
    const judgeText = texts.get(placed.intervention.course?.said ?? "");
    return judgeText === undefined ? placed : { ...placed, judgeText };
  };
  return { ...merged, now: merged.now && worded(merged.now), earlier: merged.earlier.map(worded) };
}

/**
 * The one question of a policy's judge about a run, if it is due and the session's budget allows it: how near the goal is, or whether
 * it goes in circles. Its advice is kept in the thread. Undefined where nothing was asked, or nothing understood. @throws whatever the
 * stores throw
 */
export async function askForAdvice(run: JudgedRun, context: JudgeContext): Promise<StoredLedger | undefined> {
  const { stores, sign, policy, sessionTtlMs: ttlMs, judgeState, clock, meter, log } = context;
  const { identity, conversation, totals, tip, stored } = run;
  const terms = judgeTermsOf(policy);
  const newest = conversation.steps.at(-1);
  if (terms === undefined || newest === undefined || (totals.judgeCalls ?? 0) >= terms.maxCalls) return undefined;
  const judge = judgeOf(terms, run, context);
  const question = judge && (terms.asks === "goal" ? goalQuestion : loopQuestion)(run, terms, context);
  if (judge === undefined || question === undefined) return undefined;
  const { within = judge.timeoutMs } = run;
  const begun = clock();
  const slot = await judgeState.queue.begin(identity.thread, within);
  if (slot === undefined) {
    meter.judged("skipped", 0, 0);
    log.debug({ session: identity.label, outcome: "skipped" }, "judged");
    return undefined;
  }
  const left = run.within === undefined ? judge.timeoutMs : Math.max(1, Math.ceil(begun + within - clock()));
  const said = await answerTo(question, judge, left, run, context).finally(slot);
  if (said === undefined) return undefined;
  const advice = { at: tip.total - 1, key: stepKey(newest, sign), ...said };
  return saveAdvice(stores.sessions, identity, stored, { advice, conversation, evaluation: { sign, policy }, ttlMs });
}

type Said = Pick<JudgeAdvice, "score" | "opinion">;

interface Question {
  readonly prompt: Prompt;
  read(text: string): Said | undefined;
}

const UPSTREAM_TIMEOUT_MS = 30_000;

interface Judge {
  readonly timeoutMs: number;
  question(prompt: Prompt): ReturnType<Protocol["question"]>;
  readonly send: SendUpstream;
}

function judgeOf(
  { model }: JudgeTerms,
  { upstream }: JudgedRun,
  { judgeState, protocol }: JudgeContext,
): Judge | undefined {
  const { endpoint } = judgeState;
  const timeoutMs = endpoint?.timeoutMs ?? UPSTREAM_TIMEOUT_MS;
  if (model !== undefined && upstream !== undefined) {
    // Which upstreams take a schema is not known; the prompt asks for the form in words.
    const question = (prompt: Prompt) => protocol.question({ model, ...prompt, answer: undefined }, upstream.target);
    return { timeoutMs, question, send: upstream.send };
  }
  if (model !== undefined || endpoint === undefined) return undefined;
  return {
    timeoutMs,
    question({ answer, ...prompt }) {
      const form = judgeState.isStructured ? answer : undefined;
      return chatCompletions.question({ model: endpoint.model, ...prompt, answer: form }, chatCompletions.path);
    },
    async send({ body }, withinMs) {
      const reply = await judgeState.send(body, { ...endpoint, timeoutMs: withinMs });
      if (reply?.status === 400 || reply?.status === 422) judgeState.isStructured = false;
      return reply;
    },
  };
}

async function answerTo(
  question: Question,
  judge: Judge,
  withinMs: number,
  { identity, budgetKey }: JudgedRun,
  { meter, log, stores, sessionTtlMs, clock }: JudgeContext,
): Promise<Said | undefined> {
  const start = clock();
  const written = judge.question(question.prompt);
  const reply = await judge.send(written, withinMs);
  const { status = 0, answer, failure } = reply ?? {};
  const isRefused = status < 200 || status >= 300;
  const said = isRefused || failure !== undefined || answer === undefined ? undefined : question.read(answer.step.text);
  const failed = reply === undefined || failure !== undefined ? "failed" : isRefused ? "refused" : "unparsable";
  const judged = said?.opinion === undefined ? "scored" : said.opinion.looping ? "confirmed" : "cleared";
  const outcome = said === undefined ? failed : judged;
  const tokens = tokensOf(answer, written.body);
  meter.judged(outcome, (clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, distance: said?.score?.distance, tokens }, "judged");
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  return said;
}

/** Usage of a judge's answer, estimated where the endpoint gives none; a question that was never answered counts as asked. */
function tokensOf(answer: Answer | undefined, question: string): number {
  if (answer?.usage !== undefined) return answer.usage.inputTokens + answer.usage.outputTokens;
  const tally = tokenTally();
  tally.add(question);
  return tally.tokens();
}

type Asks = (run: JudgedRun, terms: JudgeTerms, context: JudgeContext) => Question | undefined;

const goalQuestion: Asks = ({ tip, conversation, isNearRung }, terms, { judgeState: { texts }, sign }) => {
  const plan = planIn(tip, conversation, { ...terms, isTold: true });
  if (!isScoreDue(plan, tip, terms.every, isNearRung)) return undefined;
  const harness = isHarness(tip);
  const newest = plan.moves.at(-1);
  if (conversation.showsState === true && newest !== undefined)
    texts.set(newest.state, shownBy(newest.step, harness).slice(0, terms.excerptChars));
  const shown = { conversation, task: goalTask(conversation, harness), terms, sign, plan, isHarness: harness };
  return {
    prompt: goalPrompt({ ...shown, remembered: (signature) => texts.get(signature) }),
    read(text) {
      const said = goalScoreIn(text, sign);
      for (const [signature, meant] of said?.texts ?? []) texts.set(signature, meant);
      return said && { score: said.score };
    },
  };
};

/** How many before a nudge's count a loop is asked about. */
const LEAD = 2;
/** The sum of evidence from which on acts are in doubt; from 5 on rules speak for themselves. */
const EVIDENCE = 3;

/** Undefined where there is nothing to ask about, or it was asked about already. */
const loopQuestion: Asks = ({ tip, conversation, identity: { thread } }, terms, { judgeState: { askedAt }, sign }) => {
  const about =
    terms.asks === "doubt" ? inDoubt(tip, conversation, terms, askedAt.get(thread)) : near(tip, conversation);
  if (about === undefined) return undefined;
  const { seen, task, ...opinion } = about;
  if (opinion.at !== undefined) askedAt.set(thread, opinion.at);
  return {
    prompt: loopPrompt({ conversation, task, terms, seen, sign }),
    read(text) {
      const looping = opinionIn(text);
      return looping === undefined ? undefined : { opinion: { ...opinion, looping } };
    },
  };
};

interface AskedAbout extends Omit<NonNullable<JudgeAdvice["opinion"]>, "looping"> {
  readonly seen: string;
  readonly task: string;
}

function near({ counter, advice = [] }: Ledger, conversation: Conversation): AskedAbout | undefined {
  if (counter?.rung !== "nudge" || counter.of - counter.count > LEAD) return undefined;
  if (advice.findLast(({ opinion }) => opinion !== undefined)?.opinion?.loop === counter.loop) return undefined;
  return { loop: counter.loop, seen: counter.note, task: taskAt(conversation, conversation.steps.length) };
}

/** Undefined where nothing is in doubt, a rule has spoken lately, or it is too soon. @param askedAt index of the step that was asked about last */
function inDoubt(
  { window, total, since, requestedRepeats, interventions, memory }: Ledger,
  conversation: Conversation,
  { every }: JudgeTerms,
  askedAt = memory.doubt?.at,
): AskedAbout | undefined {
  const at = total - 1;
  const isRecent = (index: number | undefined) => index !== undefined && at - index < every;
  if (isRecent(askedAt) || isRecent(memory.doubt?.at) || isRecent(interventions.at(-1)?.at)) return undefined;
  const steps = window.slice(-Math.max(1, total - since));
  const doubt = doubtIn({ window: steps, total, requestedRepeats, elsewhere: 0 }, EVIDENCE);
  if (doubt === undefined) return undefined;
  // In talk every word of the other side would be a task, so it is what the run began with.
  const task = taskAt(conversation, doubt.isTalk ? 0 : conversation.steps.length);
  return { loop: doubt.loop, at, seen: doubt.seen, task };
}
