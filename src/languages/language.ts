/**
 * Alternatives of a regular expression, divided by bars. Words of scripts that know capitals are given in small letters: case is ignored,
 * and names of tools and arguments are compared in small letters.
 */
type Alternatives = string;

/** What one language calls the things that are looked for in texts (`docs/languages.md`). What it has no words for is not seen in it. */
export interface LanguageWords {
  /** As in BCP 47. */
  readonly code: string;
  readonly failureOpening?: Alternatives;
  readonly done?: Alternatives;
  readonly gesture?: Alternatives;
  readonly waiting?: Alternatives;
  readonly denial?: Alternatives;
  readonly fault?: Alternatives;
  readonly negation?: Alternatives;
  readonly negatedFault?: Alternatives;
  readonly announcing?: Alternatives;
  readonly goOn?: Alternatives;
  readonly farewell?: Alternatives;
  readonly offer?: Alternatives;
  readonly courtesy?: Alternatives;
  readonly thinkVerb?: Alternatives;
  readonly waitVerb?: Alternatives;
  readonly sendVerb?: Alternatives;
  readonly readVerb?: Alternatives;
  readonly writeVerb?: Alternatives;
  readonly startVerb?: Alternatives;
  readonly tally?: Alternatives;
  readonly and?: Alternatives;
  readonly through?: Alternatives;
  readonly all?: Alternatives;
  readonly doing?: Alternatives;
  readonly saying?: Alternatives;
  readonly numbers?: Alternatives;
  readonly times?: Alternatives;
  readonly twice?: Alternatives;
  readonly endless?: Alternatives;
  readonly until?: Alternatives;
  readonly failing?: Alternatives;
  readonly summary?: Alternatives;
  readonly noTools?: Alternatives;
  readonly historyTitle?: Alternatives;
  readonly taskTitle?: Alternatives;
  readonly stateTitle?: Alternatives;
  readonly faultTitle?: Alternatives;
  readonly nowTitle?: Alternatives;
  readonly stateLabel?: Alternatives;
  readonly taskLabel?: Alternatives;
  readonly userLabel?: Alternatives;
  readonly agentLabel?: Alternatives;
  readonly memoLabel?: Alternatives;
  readonly noHistory?: Alternatives;
  readonly stepLabel?: Alternatives;
}

/** Alternatives as they are written, over as many lines as need be. A bundler escapes the letters of plain strings, and would double them. */
export function words({ raw }: TemplateStringsArray): Alternatives {
  return raw.join("").replace(/\n\s*/g, "");
}
