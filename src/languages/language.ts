/**
 * Alternatives of a regular expression, divided by bars. Words of scripts that know capitals are given in small letters: case is ignored,
 * and names of tools and arguments are compared in small letters.
 */
type Alternatives = string;

/** What one language calls the things that are looked for in texts. What it has no words for is not seen in it. */
export interface LanguageWords {
  /** As in BCP 47. */
  readonly code: string;
  /** What a text begins with that reports a failure. */
  readonly failureOpening?: Alternatives;
  /** What acknowledges that something was done. */
  readonly done?: Alternatives;
  /** What reports a gesture on a page. */
  readonly gesture?: Alternatives;
  /** What says that something is still under way. */
  readonly waiting?: Alternatives;
  /** What denies, and what says that something has run out. */
  readonly denial?: Alternatives;
  /** What that is called which went wrong. */
  readonly fault?: Alternatives;
  /** What denies the fault behind it. */
  readonly negation?: Alternatives;
  /** A fault that is denied, in scripts without blanks. */
  readonly negatedFault?: Alternatives;
  /** What announces a deed. */
  readonly announcing?: Alternatives;
  /** What tells an agent to go on. */
  readonly goOn?: Alternatives;
  /** What ends a conversation if nothing else is said. Plain: lower case, no apostrophes, no punctuation. */
  readonly farewell?: Alternatives;
  /** Turns of phrase in a farewell whose words would be requests by themselves. */
  readonly offer?: Alternatives;
  /** Words of courtesy, which may stand in a farewell. */
  readonly courtesy?: Alternatives;
  /** A tool that does nothing but think is called so. */
  readonly thinkVerb?: Alternatives;
  /** A tool that waits for what somebody else does. */
  readonly waitVerb?: Alternatives;
  /** A tool that reaches a person. */
  readonly sendVerb?: Alternatives;
  /** A tool that changes nothing. */
  readonly readVerb?: Alternatives;
  /** A tool that changes the world. */
  readonly writeVerb?: Alternatives;
  /** What starts a sub-agent. */
  readonly startVerb?: Alternatives;
  /** What stands in front of a number of failed or passed tests. */
  readonly tally?: Alternatives;
  /** What stands between the last two items of a list. */
  readonly and?: Alternatives;
  /** What stands between the ends of a range of numbers. */
  readonly through?: Alternatives;
  /** What stands before the number of a whole: each of so many. */
  readonly all?: Alternatives;
  /** What tells somebody to do something that can be done again, and tells of no such deed. */
  readonly doing?: Alternatives;
  /** Two to twelve, fifteen, twenty, thirty, fifty, a hundred, in this order. */
  readonly numbers?: Alternatives;
  /** What stands behind the number of times. */
  readonly times?: Alternatives;
  /** Two times, in one word. */
  readonly twice?: Alternatives;
  /** What wishes for repetition without a number: a span, an interval, a manner. */
  readonly endless?: Alternatives;
  /** What wishes for repetition up to an event. */
  readonly until?: Alternatives;
  /** The failure that somebody repeats a deed for. */
  readonly failing?: Alternatives;
  /** What a prompt to compact the history asks for. */
  readonly summary?: Alternatives;
  /** The demand to answer in words alone. */
  readonly noTools?: Alternatives;
  /** Heading of the steps so far. */
  readonly historyTitle?: Alternatives;
  /** Heading of the task. */
  readonly taskTitle?: Alternatives;
  /** Heading of the page or the screen. */
  readonly stateTitle?: Alternatives;
  /** Heading of what went wrong. */
  readonly faultTitle?: Alternatives;
  /** What is there now, rather than a chapter on what pages are. */
  readonly nowTitle?: Alternatives;
  /** Label of the state that things are in. */
  readonly stateLabel?: Alternatives;
  /** Label of what is to be reached. */
  readonly taskLabel?: Alternatives;
  /** Label of what the user said. */
  readonly userLabel?: Alternatives;
  /** Label of what the agent said. */
  readonly agentLabel?: Alternatives;
  /** Label of what the agent noted for itself. */
  readonly memoLabel?: Alternatives;
  /** What stands where nothing was done yet. */
  readonly noHistory?: Alternatives;
  /** Label of a step. */
  readonly stepLabel?: Alternatives;
}

/** Alternatives as they are written, over as many lines as need be. A bundler escapes the letters of plain strings, and would double them. */
export function words({ raw }: TemplateStringsArray): Alternatives {
  return raw.join("").replace(/\n\s*/g, "");
}
