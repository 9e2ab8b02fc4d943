/** When a judge is asked about a loop before a nudge is said, and what it is shown; what is left out is as by default. */
export interface SecondOpinion {
  /** How many before a nudge's count it is asked. */
  readonly lead?: number;
  /** For each session, together with all other questions to the judge. */
  readonly maxCalls?: number;
  /** The same in tokens, input and output together. */
  readonly maxTokens?: number;
  /** `redacted`: what was done and what came back, without keys and addresses; `off`: names of tools and signatures alone. */
  readonly excerpts?: "redacted" | "off";
  /** The most characters of an outcome that are shown. */
  readonly excerptChars?: number;
}

const standard: Required<SecondOpinion> = {
  lead: 1,
  maxCalls: 4,
  maxTokens: 20_000,
  excerpts: "redacted",
  excerptChars: 600,
};

/** Undefined where the policy wants no second opinion. */
export function secondOpinionOf({
  secondOpinion,
}: {
  readonly secondOpinion?: SecondOpinion;
}): Required<SecondOpinion> | undefined {
  return secondOpinion && { ...standard, ...secondOpinion };
}

/** Opinion: what a judge has said of one loop. */
export interface Opinion {
  readonly loop: string;
  readonly looping: boolean;
}
