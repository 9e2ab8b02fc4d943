import type { ExchangeOutcome } from "../outcome.ts";

/** Note for operators about an answer that was cut off, or would have been. */
export function cutNote({ laps, blockTokens }: NonNullable<ExchangeOutcome["runaway"]>): string {
  return `${laps} laps of about ${blockTokens} tokens`;
}
