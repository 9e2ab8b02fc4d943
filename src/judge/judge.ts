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
  tokensSaid,
} from "../session/session.ts";
import type { Conversation } from "../step.ts";
import type { SessionKey, Stores, ThreadKey, Totals } from "../store/store.ts";
import { BoundedMap } from "../text/bounded-map.ts";
import type { Sign } from "../text/sign.ts";
import { goalChangeIn, isHarness, planIn } from "./plan-view.ts";
import { goalPrompt, goalScoreIn, loopPrompt, opinionIn, type Prompt } from "./prompt.ts";

export { reversalCall } from "./actions.ts";

/** Any endpoint that understands chat completions. */
export interface JudgeEndpoint {
  readonly upstream: URL;
  readonly key: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

type Replying = Promise<{ status: number; answer: Answer | undefined; failure?: unknown } | undefined>;

/** Where the run's own requests go, with the run's own key. */
export type SendUpstream = (question: ReturnType<Protocol["question"]>, timeoutMs: number) => Replying;

/** Questions under way at a time, by this process. */
const MAX_CONCURRENT = 64;
const MAX_REMEMBERED = 5_000;

export type JudgeState = ReturnType<typeof judgeState>;

/** @param send undefined where a question came to no answer */
export function judgeState(
  endpoint: JudgeEndpoint | undefined,
  send: (body: string, endpoint: JudgeEndpoint) => Replying,
) {
  return {
    ...{ endpoint, send },
    /** Threads with a question under way. */
    asking: new Set<ThreadKey>(),
    /** Whether the endpoint takes a schema for its answer, as far as is known. */
    isStructured: true,
    /** Index of a thread's newest step that was asked about, whatever came of it. */
    askedAt: new BoundedMap<ThreadKey, number>(MAX_REMEMBERED),
    /** The judge's own words, by their signatures: they live here alone. */
    words: new BoundedMap<string, string>(MAX_REMEMBERED),
  };
}

interface JudgeContext {
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

interface JudgedRun {
  readonly tip: Ledger;
  readonly stored: StoredLedger;
  readonly conversation: Conversation;
  readonly identity: Identity;
  readonly totals: Totals;
  /** Under which the cost is counted; undefined if that cannot be told yet. */
  readonly budgetKey: SessionKey | undefined;
  /** For a policy that names a model of the run's own upstream. @property target path and query of the request */
  readonly upstream?: { readonly target: string; readonly send: SendUpstream };
  /** In milliseconds; without it nothing waits. */
  readonly within?: number;
}

/** What follows from judges' advice for a request's last step: the same each time that the request is merged. */
export function heeding(conversation: Conversation, policy: Policy, isTold: boolean): Heed {
  const terms = judgeTermsOf(policy);
  const heed: Heed = (run) => {
    const { advice = [] } = run;
    if (terms?.asks !== "goal") return { opinion: terms && advice.findLast(({ opinion }) => opinion)?.opinion };
    const planTerms = { ...terms, isTold };
    return { goalChange: goalChangeIn(planIn(run, conversation, planTerms), run, planTerms) };
  };
  let heeded: ReturnType<Heed> | undefined;
  return (run) => (heeded ??= heed(run));
}

type Heed = NonNullable<EvaluationContext["heed"]>;

/** Interventions with what a judge has said to them, as far as this process remembers it. */
export function withJudgeTexts(merged: MergeResult, { words }: JudgeState): MergeResult {
  const worded = (placed: PositionedIntervention): PositionedIntervention => {
    const judgeText = words.get(placed.intervention.course?.said ?? "");
    return judgeText === undefined ? placed : { ...placed, judgeText };
  };
  return { ...merged, now: merged.now && worded(merged.now), earlier: merged.earlier.map(worded) };
}

/** Asks a policy's judge about a run, if that is due and its budget allows it; the advice is kept in the thread. @throws whatever the stores throw */
export async function askForAdvice(run: JudgedRun, context: JudgeContext): Promise<StoredLedger | undefined> {
  const { stores, sign, policy, sessionTtlMs: ttlMs, judgeState, meter } = context;
  const { identity, conversation, totals, tip } = run;
  const terms = judgeTermsOf(policy);
  const newest = conversation.steps.at(-1);
  if (terms === undefined || newest === undefined || (totals.judgeCalls ?? 0) >= terms.maxCalls) return undefined;
  const judge = judgeOf(terms, run, context);
  const question = judge && (terms.asks === "goal" ? goalQuestion : loopQuestion)(run, terms, context);
  if (judge === undefined || question === undefined) return undefined;
  const { asking } = judgeState;
  if (asking.has(identity.thread) || asking.size >= MAX_CONCURRENT) {
    meter.judged("skipped", 0, 0);
    return undefined;
  }
  asking.add(identity.thread);
  const asked = answerTo(question, judge, run.within ?? judge.timeoutMs, run, context);
  const said = await asked.finally(() => asking.delete(identity.thread));
  if (said === undefined) return undefined;
  const advice = { at: tip.total - 1, key: stepKey(newest, sign), ...said };
  return saveAdvice(stores.sessions, run, advice, { sign, policy }, ttlMs);
}

type Said = Pick<JudgeAdvice, "score" | "opinion">;

interface Question {
  readonly prompt: Prompt;
  read(text: string): Said | undefined;
}

const UPSTREAM_TIMEOUT_MS = 30_000;

function judgeOf({ model }: JudgeTerms, { upstream }: JudgedRun, context: JudgeContext) {
  const { judgeState, protocol } = context;
  const { endpoint, isStructured } = judgeState;
  const timeoutMs = endpoint?.timeoutMs ?? UPSTREAM_TIMEOUT_MS;
  // Which upstreams take a schema is not known; the prompt asks for the form in words.
  if (model !== undefined) return upstream && { ...{ timeoutMs, model, protocol, isStructured: false }, ...upstream };
  if (endpoint === undefined) return undefined;
  return {
    ...{ timeoutMs, model: endpoint.model, protocol: chatCompletions, isStructured, target: chatCompletions.path },
    async send({ body }: ReturnType<Protocol["question"]>, withinMs: number) {
      const reply = await judgeState.send(body, { ...endpoint, timeoutMs: withinMs });
      if (reply?.status === 400 || reply?.status === 422) judgeState.isStructured = false;
      return reply;
    },
  };
}

async function answerTo(
  question: Question,
  judge: NonNullable<ReturnType<typeof judgeOf>>,
  withinMs: number,
  { identity, budgetKey }: JudgedRun,
  { meter, log, stores, sessionTtlMs, clock }: JudgeContext,
): Promise<Said | undefined> {
  const start = clock();
  const { model, protocol, isStructured, target } = judge;
  const { answer: form, ...prompt } = question.prompt;
  const written = protocol.question({ model, ...prompt, answer: isStructured ? form : undefined }, target);
  const { status = 0, answer, failure } = (await judge.send(written, withinMs)) ?? {};
  const failed = status === 0 || failure !== undefined;
  const isRefused = status < 200 || status >= 300;
  const said = failed || isRefused || answer === undefined ? undefined : question.read(answer.step.text);
  const unheard = failed ? "failed" : isRefused ? "refused" : "unparsable";
  const judged = said?.opinion === undefined ? "scored" : said.opinion.looping ? "confirmed" : "cleared";
  const outcome = said === undefined ? unheard : judged;
  const { inputTokens, outputTokens } = answer?.usage ?? {
    inputTokens: tokensSaid({ calls: [], text: written.body, heard: [] }),
    outputTokens: 0,
  };
  const tokens = inputTokens + outputTokens;
  meter.judged(outcome, (clock() - start) / 1000, tokens);
  log.debug({ session: identity.label, outcome, distance: said?.score?.distance, tokens }, "judged");
  if (budgetKey !== undefined)
    await stores.counters.add(budgetKey, { judgeCalls: 1, judgeTokens: tokens }, sessionTtlMs);
  return said;
}

type Asks = (run: JudgedRun, terms: JudgeTerms, context: JudgeContext) => Question | undefined;

const goalQuestion: Asks = ({ tip, conversation }, terms, { judgeState: { words }, sign }) => {
  const plan = planIn(tip, conversation, { ...terms, isTold: true });
  const at = tip.total - 1;
  const isTooSoon = plan.judged !== undefined && at - plan.judged.at < terms.every;
  if (plan.moves.at(-1)?.at !== at || isTooSoon) return undefined;
  const isByHarness = isHarness(tip);
  const task = taskAt(conversation, isByHarness ? 0 : conversation.steps.length);
  return {
    prompt: goalPrompt({ conversation, task, terms, sign }, plan, isByHarness, words),
    read(text) {
      const said = goalScoreIn(text, sign);
      for (const [signature, meant] of said?.texts ?? []) words.set(signature, meant);
      return said && { score: said.score };
    },
  };
};

/** The sum of evidence from which on acts are in doubt; from 5 on rules speak for themselves. */
const EVIDENCE = 3;

const loopQuestion: Asks = ({ tip, conversation, identity: { thread } }, terms, { judgeState: { askedAt }, sign }) => {
  const doubt = inDoubt(tip, terms, askedAt.get(thread));
  if (doubt === undefined) return undefined;
  const { seen, isTalk, loop } = doubt;
  const at = tip.total - 1;
  askedAt.set(thread, at);
  // In talk every word of the other side would be a task, so it is what the run began with.
  const task = taskAt(conversation, isTalk ? 0 : conversation.steps.length);
  return {
    prompt: loopPrompt({ conversation, task, terms, sign }, seen),
    read(text) {
      const looping = opinionIn(text);
      return looping === undefined ? undefined : { opinion: { loop, at, looping } };
    },
  };
};

/** Undefined where nothing is in doubt, a rule has spoken lately, or it is too soon. @param askedAt index of the step that was asked about last */
function inDoubt(ledger: Ledger, { every }: JudgeTerms, askedAt = -every) {
  const { window, total, since, requestedRepeats, interventions, memory } = ledger;
  const latest = Math.max(askedAt, memory.doubt?.at ?? -every, interventions.at(-1)?.at ?? -every);
  if (total - 1 - latest < every) return undefined;
  const steps = window.slice(-Math.max(1, total - since));
  return doubtIn({ window: steps, total, requestedRepeats, elsewhere: 0 }, EVIDENCE);
}
