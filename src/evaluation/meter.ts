import { UnloopError } from "../errors.ts";
import { costOf, limitedKinds, type Policy, priceFor } from "../policy/policy.ts";
import type { AnswerListener, AnswerReader, ParsedRequest, Usage } from "../protocols/protocols.ts";
import { type AskedTerms, tokensAsked, tokensSaid, tokenTally } from "../session/session.ts";
import type { Observed } from "./outcome.ts";

/** Facts with names; never a text of the conversation, never a credential. */
export interface Log {
  debug(facts: object, event: string): void;
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/** An error's kind and place; its message may quote what it stumbled over. */
export function factsOf(error: unknown): object {
  if (error instanceof UnloopError) return { code: error.code, ...error.facts };
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = error.stack?.split("\n").filter((line) => line.trimStart().startsWith("at "));
  return { error: error.name, at: frames?.slice(0, 3) };
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Input and output together, where the verdict was an intervention, or would have been. */
  readonly inLoop: number;
  /** Estimated input of a request that was answered here in place of the upstream. */
  readonly avoided: number;
  /** 1 where an answer with a repeated call was kept from the agent, or the model was not asked. */
  readonly keptBack: number;
  /** 1 where Unloop has answered in the model's place. */
  readonly answered: number;
  /** 1 where a thread began. */
  readonly threads: number;
}

/** Whose an exchange is, by the operator's configuration; whoever keeps them as labels bounds their number. */
export interface TeamLabels {
  readonly tenant?: string | undefined;
  readonly rule?: string | undefined;
}

export interface UsageLabels extends TeamLabels {
  readonly policy: string;
  /** Side of a rollout by percentage; undefined where nothing is rolled out. */
  readonly arm?: string | undefined;
}

/** How a request was read: by its new messages alone (`tail`), whole, by the head and tail of what is long (`partly`), or not at all. */
export type HowRead = "tail" | "whole" | "partly" | "unread";

/** Counters of the guard. Few labels, of which team's are for the meter to bound; never a session, never a text. */
export interface Meter {
  /** A guarded exchange is over. @param ownSeconds the guard's own time before forwarding @param isStepless its client's requests never tell a step */
  exchange(verdict: string, ownSeconds: number, isStepless: boolean, read: HowRead, team?: TeamLabels): void;
  /** The API has refused what the guard had made of a request. @param instead what went upstream in its place */
  changeRefused?(instead: "change" | "notes" | "plain"): void;
  /** The upstream gave no answer. @param status of its error, or why none came */
  upstreamFailed?(status: string, team?: TeamLabels): void;
  /** A request passed at an endpoint that is not guarded. @param endpoint one of few names; `other` for what tells no run */
  passed?(endpoint: string): void;
  /** Something was done about a loop. @param rung the exchange's verdict, or `cut` for an answer that had run away */
  intervention(rung: string, detector: string, team?: TeamLabels): void;
  spent(tokens: TokenUsage, under: UsageLabels): void;
  rated?(word: "right" | "wrong", detector: string): void;
  /** A request was answered with an error of the guard's own. @param code of that error */
  failed(code: string): void;
  storeFailed(): void;
  /** A judge was asked. @param outcome `scored`, `unparsable`, `refused` or `failed` @param tokens input and output together */
  judged(outcome: string, seconds: number, tokens: number): void;
}

export const noMeter: Meter = {
  exchange: () => undefined,
  intervention: () => undefined,
  spent: () => undefined,
  failed: () => undefined,
  storeFailed: () => undefined,
  judged: () => undefined,
};

export interface MeteredUsage extends Omit<Usage, "cacheWriteTokens"> {
  /** Cost, in millionths of the price table's currency. */
  readonly cost: number;
  /** Some of it was not counted upstream, but guessed here. */
  readonly estimated: boolean;
  /** The model that the price table leaves out, if it does. */
  readonly unpriced: string | undefined;
}

export type UsageMeter = NonNullable<ReturnType<typeof usageMeterFor>>;

/** Makes a reader for an answer of this content type. Neither may throw. */
export type AnswerTap = (contentType: string, listener?: AnswerListener) => AnswerReader;

/** Such usage is estimated where upstream does not tell it. */
export function limitsUsage(policy: Policy): boolean {
  const limited = limitedKinds(policy);
  return limited.has("tokens") || limited.has("cost");
}

/** Adds up what upstream is asked on behalf of one request, however far each answer came. Undefined where the answer alone tells the usage. */
export function usageMeterFor(
  { asked: { model }, whole }: { readonly asked: Pick<AskedTerms, "model">; whole(): ParsedRequest },
  policy: Policy,
  mayAskAgain = false,
) {
  const isLimited = limitsUsage(policy);
  if (!isLimited && !mayAskAgain) return undefined;
  const price = priceFor(policy.prices ?? {}, model);
  const unpriced = price === undefined && limitedKinds(policy).has("cost") ? model : undefined;
  let total: MeteredUsage | undefined;
  return {
    /** @param ask one request upstream, its answer shown to the tap that it is given */
    async charge(tap: AnswerTap, ask: (tap: AnswerTap) => Promise<Observed>): Promise<Observed> {
      const streamed = tokenTally();
      const observed = await ask((contentType, listener) =>
        tap(contentType, (part) => {
          if ("text" in part) streamed.add(part.text);
          return listener?.(part);
        }),
      );
      const used = usedBy(observed, streamed.tokens(), whole());
      if (used === undefined || (used.estimated && !isLimited)) return observed;
      const cached = (total?.cachedInputTokens ?? 0) + (used.cachedInputTokens ?? 0);
      total = {
        inputTokens: (total?.inputTokens ?? 0) + used.inputTokens,
        outputTokens: (total?.outputTokens ?? 0) + used.outputTokens,
        ...(cached > 0 && { cachedInputTokens: cached }),
        cost: (total?.cost ?? 0) + (price === undefined ? 0 : costOf(price, used)),
        estimated: total?.estimated === true || used.estimated,
        unpriced,
      };
      return observed;
    },
    total: () => total,
  };
}

/** Undefined for what was refused, or never answered. An answer that broke off has cost what came of it. */
function usedBy({ status, answer, failure }: Observed, streamed: number, ask: ParsedRequest) {
  if (status < 200 || status >= 300) return undefined;
  const usage = answer?.usage;
  // Some servers have a place for usage and nothing to put there.
  if (usage !== undefined && usage.inputTokens + usage.outputTokens > 0) return { ...usage, estimated: false };
  if (answer === undefined && failure === undefined && streamed === 0) return undefined;
  const outputTokens = streamed > 0 || answer === undefined ? streamed : tokensSaid(answer.step);
  return { inputTokens: tokensAsked(ask.conversation, ask.tools), outputTokens, estimated: true };
}
