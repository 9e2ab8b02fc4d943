/** What is counted. Numbers with few labels; never a session, never a text. */
export interface Meter {
  /** A guarded exchange is over. @param ownSeconds the guard's own time before forwarding */
  exchange(verdict: string, ownSeconds: number): void;
  storeFailed(): void;
}

export const noMeter: Meter = { exchange: () => undefined, storeFailed: () => undefined };
