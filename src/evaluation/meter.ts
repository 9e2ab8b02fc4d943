import { UnloopError } from "../errors.ts";

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
  readonly arm: string | undefined;
}

/** How a request was read: by its new messages alone (`tail`), whole, by the head and tail of what is long (`partly`), or not at all. */
export type HowRead = "tail" | "whole" | "partly" | "unread";

/** Counters of the guard. Few labels, of which team's are for the meter to bound; never a session, never a text. */
export interface Meter {
  /**
   * A guarded exchange is over. @param ownSeconds the guard's own time before forwarding
   * @param isStepless its client's requests never tell a step, so that no loop of it can be seen
   * @param read how much of its request was read
   */
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
