import type { ExchangeOutcome } from "../intercept/context.ts";

/** What operators are told of an answer that was cut off, or would have been. */
export function cutNote({ laps, blockTokens }: NonNullable<ExchangeOutcome["runaway"]>): string {
  return `${laps} laps of about ${blockTokens} tokens`;
}
