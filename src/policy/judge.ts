/** What an action does to what is shown, and so how it is undone; a `look` changes nothing. */
export const actionTypes = ["checkbox", "dialog", "text", "menu", "window", "look", "other"] as const;
export type ActionType = (typeof actionTypes)[number];

/** A call that undoes an action: the `same` once more, or this one; a value `$name` is that argument of the action. */
export type Reversal =
  | "same"
  | { readonly tool: string; readonly args: Readonly<Record<string, string | number | boolean>> };

/**
 * Of which type an action is whose words fit: of each list that is given, one has to be there, whatever case and punctuation. A
 * rule without lists says of its type alone how it is undone.
 */
export interface ActionRule {
  readonly type: ActionType;
  /** In the tool's name. */
  readonly tool?: readonly string[];
  /** In the arguments. */
  readonly args?: readonly string[];
  /** In what came back, and not in what came back before it. */
  readonly outcome?: readonly string[];
  /** Actions of this type are undone by a call in place of an instruction, where the agent has the tool. */
  readonly undo?: Reversal;
}

/** What a judge is asked, how often, and what it is shown; what is left out is as usual for what it is asked. */
export interface Judge {
  /**
   * `goal`: after each step, how near the goal is, so that an action is kept, undone, or the plan given up; `near`: whether a
   * loop is one, where a rule is about to nudge; `doubt`: the same where the newest steps may go in circles and no rule has said so.
   */
  readonly asks: "goal" | "near" | "doubt";
  /** A model of the run's own upstream, asked with the run's own key; without it the server's judge is asked. */
  readonly model?: string;
  /** At most one question in so many steps; a goal is judged sooner where a loop is near. */
  readonly every?: number;
  /** A request waits so many milliseconds at most to hear how near the goal is; without it none waits, and what is said counts from the next one on. */
  readonly wait?: number;
  /** For each session. */
  readonly maxCalls?: number;
  /** The most characters of an outcome that are shown, without keys and addresses; 0: names of tools and signatures alone. */
  readonly excerptChars?: number;
  /** A plan is given up after so many actions. */
  readonly maxSteps?: number;
  /** Looked at before the product's own rules, in order. */
  readonly actions?: readonly ActionRule[];
}

/** A judge with all that was left out. */
export type JudgeTerms = Required<Omit<Judge, "model" | "wait">> & Pick<Judge, "model" | "wait">;

const usual = { maxSteps: 50, actions: [] } as const;
const ofGoal = { ...usual, every: 1, maxCalls: 100, excerptChars: 4_000 };
const ofLoop = { ...usual, every: 8, maxCalls: 4, excerptChars: 600 };

/** Undefined where the policy asks no judge. */
export function judgeTermsOf({ judge }: { readonly judge?: Judge }): JudgeTerms | undefined {
  return judge && { ...(judge.asks === "goal" ? ofGoal : ofLoop), ...judge };
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
