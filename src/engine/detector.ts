import { type IndexedStep, type PlanProgress, toolsIn, type View } from "./view.ts";

/** A grade without a ladder of its own goes by the detector's main one (`refining`) or is not looked at (`extra`). */
export type GradeKind = "refining" | "extra";

export type Ending = "met" | "closed";

/** Raw finding: one loop, seen at one step. With its detector's name it is a finding. */
export interface RawFinding {
  readonly grade?: string;
  /** The loop's identity: the same for every turn and rotation of the same loop. */
  readonly loop: string;
  readonly count: number;
  /** Number of repetitions within the count, where the count begins with the original. */
  readonly repeats?: number;
  readonly evidence: readonly number[];
  /** The tools of those steps, each once, in no order of theirs; a few of them where they are many. */
  readonly tools: readonly string[];
  /** Index of the step that it speaks about, where that is not the last one. */
  readonly about?: number;
  readonly course?: PlanProgress;
  /** Normal end of the run, if it is one: the goal is reached (`met`), or both sides have said goodbye (`closed`). */
  readonly outcome?: Ending;
  /** It counts what a session has used up, and its ladder may follow from a policy's limit for that. */
  readonly limit?: "steps" | "tokens" | "cost" | "seconds";
  /** The repetition was wished for without a number: it leads to a word at most. */
  readonly wished?: true;
  /** It is made of the whole dialogue, or of all steps: that a user has just spoken is no reason to wait with it. */
  readonly evenIfUserSpoke?: true;
  /** One sentence without any of the conversation's texts. */
  readonly note: string;
}

/** A raw finding that these steps show: count and tools are theirs where it does not say otherwise. */
export function findingIn(
  steps: readonly IndexedStep[],
  facts: Omit<RawFinding, "count" | "evidence" | "tools"> & Partial<Pick<RawFinding, "count" | "tools">>,
): RawFinding {
  const { count = steps.length, tools = toolsIn(steps), ...rest } = facts;
  return { ...rest, count, evidence: steps.map(({ at }) => at), tools };
}

/** Prediction: which of a detector's loops show in what a model is about to do, before anything has come back for it. */
export interface Prediction<Settings> {
  /** By what a step is known for a repetition: its calls, or the words beside them. */
  readonly by: "calls" | "words";
  /** Grades that the prediction covers; all of them without it. */
  readonly grades?: readonly string[];
  /** Grades that are told of a step that was taken but once before. */
  readonly once?: readonly string[];
  /** Whether waiting counts, though the next look may bring something new; it does not without it. */
  countsPolls?(settings: Settings): boolean;
  /** Whether results are compared as pages: by rule the next one is the last one, but for tokens and counters; else news may come. */
  comparesPages?(settings: Settings): boolean;
}

/** Detector: all that is known of one. Everything else about detectors is derived from the list of them. */
export interface Detector<
  Name extends string = string,
  Grades extends Readonly<Record<string, GradeKind>> = Readonly<Record<string, GradeKind>>,
  Table extends SettingTable = SettingTable,
  Tells = string | Readonly<Record<string, string>>,
> {
  readonly name: Name;
  /** Kinds of its findings that may have a ladder of their own. */
  readonly grades: Grades;
  /** What its findings tell of, all of them or each grade's and, as `main`, all others: the words follow from this alone. */
  readonly tells: Tells;
  readonly settings: Table;
  readonly predicts?: Prediction<SettingValues<Table>>;
  readonly needs?: "arrivals" | "opinion";
  /** Pure: the same view gives the same, at most one for each of its ladders. */
  detect(view: View, settings: SettingValues<Table>): readonly RawFinding[];
}

export function defineDetector<
  const Name extends string,
  const Grades extends Readonly<Record<string, GradeKind>>,
  const Table extends SettingTable,
  const Tells extends string | ({ readonly main: string } & { readonly [Grade in keyof Grades]?: string }),
>(detector: Detector<Name, Grades, Table, Tells>): Detector<Name, Grades, Table, Tells> {
  return detector;
}

export type DetectorSetting =
  | { readonly kind: "whole-number"; readonly standard: number; readonly least: number }
  | { readonly kind: "share"; readonly standard: number }
  | ChoiceSetting;

export interface ChoiceSetting<Choice extends string = string> {
  readonly kind: "choice";
  readonly standard: Choice;
  readonly choices: readonly Choice[];
}

export type SettingTable = Readonly<Record<string, DetectorSetting>>;

type ValueOf<One extends DetectorSetting> = One extends ChoiceSetting<infer Choice> ? Choice : number;

export type SettingValues<Table extends SettingTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

export const wholeNumberSetting = (standard: number, least = 1) => ({ kind: "whole-number", standard, least }) as const;
export const shareSetting = (standard: number) => ({ kind: "share", standard }) as const;

export function choiceSetting<const Choice extends string>(
  standard: Choice,
  ...others: readonly Choice[]
): ChoiceSetting<Choice> {
  return { kind: "choice", standard, choices: [standard, ...others] };
}
