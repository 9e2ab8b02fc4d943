/** When a judge is asked about a loop before rules speak, which judge, and what it is shown; what is left out is as by default. */
export interface SecondOpinion {
  /** `near`: where a rule is about to nudge; `doubt`: where the newest steps may go in circles and no rule has said so. */
  readonly asks?: "near" | "doubt";
  /** How many before a nudge's count it is asked; with `near`. */
  readonly lead?: number;
  /** The sum of evidence from which on acts are in doubt; with `doubt`. */
  readonly evidence?: number;
  /** At most one question in so many steps; with `doubt`. */
  readonly every?: number;
  /** For so many steps after what a judge has cleared, rules keep still about what it has seen; with `doubt`. */
  readonly patience?: number;
  /** `own`: the server's judge; `upstream`: where the run's own requests go, with the run's own key. */
  readonly judge?: "own" | "upstream";
  /** The model to ask; with `upstream` there has to be one. */
  readonly model?: string;
  /** For each session, together with all other questions to the judge. */
  readonly maxCalls?: number;
  /** The same in tokens, input and output together. */
  readonly maxTokens?: number;
  /** `redacted`: what was done and what came back, without keys and addresses; `off`: names of tools and signatures alone. */
  readonly excerpts?: "redacted" | "off";
  /** The most characters of an outcome that are shown. */
  readonly excerptChars?: number;
}

/** Second opinion with all that was left out. */
export type OpinionTerms = Required<Omit<SecondOpinion, "model">> & Pick<SecondOpinion, "model">;

const standard: OpinionTerms = {
  asks: "near",
  lead: 1,
  evidence: 2,
  every: 8,
  patience: 4,
  judge: "own",
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
}): OpinionTerms | undefined {
  return secondOpinion && { ...standard, ...secondOpinion };
}

/** Opinion: what a judge has said of one loop. */
export interface Opinion {
  readonly loop: string;
  readonly looping: boolean;
  /** Index of the newest step that it was shown; only where rules were in doubt, and had counted no loop. */
  readonly at?: number;
}

/** What judges have said where rules were in doubt. */
export interface DoubtMemory {
  /** Index of the newest step that was shown. */
  readonly at: number;
  /** How often the run was said to go in circles since it was last cleared. */
  readonly confirmed: number;
}

/** An older opinion is about steps that the run has left. */
const FRESH = 8;

/** What an opinion adds at a step; undefined where it adds nothing. @param since index of the first step that counts */
export function heededDoubt(
  known: DoubtMemory | undefined,
  opinion: Opinion | undefined,
  { at, since }: { readonly at: number; readonly since: number },
): DoubtMemory | undefined {
  if (opinion?.at === undefined || opinion.at < since || at - opinion.at > FRESH) return undefined;
  if (known !== undefined && opinion.at <= known.at) return undefined;
  return { at: opinion.at, confirmed: opinion.looping ? (known?.confirmed ?? 0) + 1 : 0 };
}
