import { costOf, limitedKinds, type Policy, priceFor } from "../policy/policy.ts";
import type { AnswerListener, AnswerReader, ParsedRequest, Usage } from "../protocols/protocols.ts";
import { tokensAsked, tokensSaid, tokenTally } from "../session/session.ts";
import type { Observed } from "./outcome.ts";
import type { ReadRequest } from "./read/read-request.ts";

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
export function usageMeterFor(request: ReadRequest, policy: Policy, mayAskAgain: boolean) {
  const isLimited = limitsUsage(policy);
  if (!isLimited && !mayAskAgain) return undefined;
  const price = priceFor(policy.prices ?? {}, request.model);
  const unpriced = price === undefined && limitedKinds(policy).has("cost") ? request.model : undefined;
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
      const used = usedBy(observed, streamed.tokens(), request.whole());
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
