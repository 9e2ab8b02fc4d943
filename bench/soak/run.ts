/** One request of a run, as its agent saw the answer. Plain data: it crosses process borders. */
export interface Exchange {
  /** Unix time. In milliseconds. */
  readonly at: number;
  readonly ms: number;
  /** Until the first byte of the answer's payload; undefined where none came. */
  readonly firstMs: number | undefined;
  /** `ok`, `nudge/repeated-call`, ..., and behind a `+` how many earlier notes were shown again; empty without a head. */
  readonly verdict: string;
  /** What the agent got: the model's answer byte for byte, something else, or an end in the guard's own words; undefined for none. */
  readonly answer: "as said" | "other" | "ended" | undefined;
  /** The guard's own time before forwarding, as it says itself; NaN without a head. */
  readonly ownMs: number;
  /** How far the answer had come when the agent hung up; undefined where it did not. */
  readonly left: "before the head" | "within the answer" | undefined;
  /** An SDK would have asked again after that. */
  readonly isRetry: boolean;
  /** Why the answer is not as it should be. */
  readonly broken: readonly string[];
  /** What the model was asked: the agent's request byte for byte, or something else; undefined where it is not told. */
  readonly asked: "as sent" | "other" | undefined;
}

export interface Run {
  readonly kind: string;
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  /** The agent was answered without a call, hung up for good, went on as long as it may, got an answer that it cannot use, or the load ended. */
  readonly ending: "answered" | "left" | "gave up" | "broken" | "cut";
}
