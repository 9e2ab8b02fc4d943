/** Index of the assistant message at which a plain rule stops the run; undefined if it never does. */
export type PlainRule = (messages: unknown) => number | undefined;

/** A turn as a simple rule sees it: raw texts, nothing normalised. */
interface PlainStep {
  /** The calls as they were written; empty if there were none. */
  readonly act: string;
  /** What came back for them. */
  readonly out: string;
  readonly text: string;
  readonly failed: boolean;
  /** Somebody spoke between this turn and the next. */
  readonly heard: boolean;
}

/** The same calls so many times in a row, whatever came back. */
export const sameActs = (times: number): PlainRule =>
  firstStep((steps, at) => rowBefore(steps, at, ({ act }) => act) >= times);

/** The same calls with the same results so many times in a row. */
export const sameRepeats = (times: number): PlainRule =>
  firstStep((steps, at) => rowBefore(steps, at, repeatOf) >= times);

interface CycleLimits {
  /** In calls. */
  readonly shortest?: number;
  readonly longest: number;
  readonly laps: number;
}

/** The last calls are so many laps of a few, whatever came back: gemini-cli ships it with 5 and 5. */
export const turningCycles = ({ shortest = 1, longest, laps }: CycleLimits): PlainRule =>
  firstStep((steps, at) => {
    const acts = steps.slice(0, at + 1).flatMap(({ act }) => (act === "" ? [] : [act]));
    if (steps[at]?.act === "") return false;
    return upTo(longest).some((period) => {
      if (period < shortest) return false;
      const around = acts.slice(-period * laps);
      return around.length === period * laps && around.every((act, i) => act === around[i % period]);
    });
  });

/** So many of the last calls are equal to the newest, whatever stands between: weave's router ships it with 5 of 10. */
export const actsAmong = ({ times, last }: { times: number; last: number }): PlainRule =>
  firstStep((steps, at) => timesAmong(steps, at, last, ({ act }) => act) >= times);

/** The same with equal results: crush ships it with 6 of 10. */
export const repeatsAmong = ({ times, last }: { times: number; last: number }): PlainRule =>
  firstStep((steps, at) => at + 1 >= last && timesAmong(steps, at, last, repeatOf) >= times);

/** Whichever speaks first. */
export const anyOf =
  (...rules: readonly PlainRule[]): PlainRule =>
  (messages) => {
    const turns = rules.flatMap((rule) => rule(messages) ?? []);
    return turns.length === 0 ? undefined : Math.min(...turns);
  };

/**
 * What nobody interrupted: one call with one result so often in a row, one failing call, one text without calls, or two
 * calls taking turns. The OpenHands SDK ships it with 4, 3, 3 and 3.
 */
export const unchangedRows = (least: {
  results: number;
  errors: number;
  texts: number;
  alternations: number;
}): PlainRule =>
  firstStep((all, at) => {
    const from = all.slice(0, at).findLastIndex(({ heard }) => heard) + 1;
    const steps = all.slice(from, at + 1);
    const last = steps.length - 1;
    const failures = steps.slice(steps.findLastIndex(({ failed }) => !failed) + 1);
    return (
      rowBefore(steps, last, repeatOf) >= least.results ||
      rowBefore(failures, failures.length - 1, ({ act }) => act) >= least.errors ||
      rowBefore(steps, last, ({ act, text }) => (act === "" ? text : "")) >= least.texts ||
      alternates(steps.slice(-2 * least.alternations), least.alternations)
    );
  });

export const stepCap = (most: number): PlainRule => firstStep((_, at) => at >= most);

function firstStep(stops: (steps: readonly PlainStep[], at: number) => boolean): PlainRule {
  return (messages) => {
    const steps = stepsOf(messages);
    const at = steps.findIndex((_, i) => stops(steps, i));
    return at < 0 ? undefined : at;
  };
}

const repeatOf = ({ act, out }: PlainStep): string => (act === "" ? "" : `${act} ${out}`);

/** How many steps up to this one are equal to it; 0 where there is nothing to compare. */
function rowBefore(steps: readonly PlainStep[], at: number, identity: (step: PlainStep) => string): number {
  const step = steps[at];
  const own = step === undefined ? "" : identity(step);
  if (own === "") return 0;
  return at - steps.slice(0, at + 1).findLastIndex((earlier) => identity(earlier) !== own);
}

/** How many of the last steps up to this one are equal to it; 0 where there is nothing to compare. */
function timesAmong(
  steps: readonly PlainStep[],
  at: number,
  last: number,
  identity: (step: PlainStep) => string,
): number {
  const step = steps[at];
  const own = step === undefined ? "" : identity(step);
  if (own === "") return 0;
  return steps.slice(Math.max(0, at + 1 - last), at + 1).filter((earlier) => identity(earlier) === own).length;
}

function alternates(steps: readonly PlainStep[], times: number): boolean {
  const turns = steps.map(repeatOf);
  return (
    turns.length === 2 * times &&
    turns[0] !== turns[1] &&
    turns.every((turn, i) => turn !== "" && turn === turns[i % 2])
  );
}

const upTo = (most: number): readonly number[] => Array.from({ length: most }, (_, i) => i + 1);

const FAILURE = /^\W{0,3}(\w+ )?(error|traceback|exception|failed)\b/i;

function stepsOf(messages: unknown): readonly PlainStep[] {
  const steps: { act: string; out: string; text: string; failed: boolean; heard: boolean }[] = [];
  for (const message of Array.isArray(messages) ? messages : []) {
    const last = steps.at(-1);
    if (message?.role === "assistant") {
      const calls = (message.tool_calls ?? []).map((call: { function?: unknown }) => JSON.stringify(call.function));
      const text = typeof message.content === "string" ? message.content : "";
      steps.push({ act: calls.join(), out: "", text, failed: false, heard: false });
    } else if (message?.role === "tool" && last !== undefined) {
      last.out += JSON.stringify(message.content);
      last.failed = FAILURE.test(String(message.content));
    } else if (message?.role === "user" && last !== undefined) last.heard = true;
  }
  return steps;
}
