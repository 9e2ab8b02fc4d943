/** What is counted. Numbers with few labels; never a session, never a text. */
export interface Meter {
  /** A guarded exchange is over. @param ownSeconds the guard's own time before forwarding */
  exchange(verdict: string, ownSeconds: number): void;
  /** Something was done about a loop. @param rung the exchange's verdict, or `cut` for an answer that had run away */
  intervention(rung: string, detector: string): void;
  storeFailed(): void;
  /** A judge was asked. @param outcome `scored`, `unparsable`, `refused` or `failed` @param tokens input and output together */
  judged(outcome: string, seconds: number, tokens: number): void;
}

export const noMeter: Meter = {
  exchange: () => undefined,
  intervention: () => undefined,
  storeFailed: () => undefined,
  judged: () => undefined,
};
