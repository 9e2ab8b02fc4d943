import { callCycle } from "./detectors/call-cycle.ts";
import { consecutiveFailures } from "./detectors/consecutive-failures.ts";
import { goalDistance, judgedLoop } from "./detectors/judged.ts";
import { budget, retryStorm, storm } from "./detectors/limits.ts";
import { noProgress } from "./detectors/no-progress.ts";
import { politeClosure } from "./detectors/polite-closure.ts";
import { repeatedCall } from "./detectors/repeated-call.ts";
import { repeatedMessage } from "./detectors/repeated-message.ts";
import { unchangedPoll } from "./detectors/unchanged-poll.ts";
import { memoizeByRef } from "./memoize-by-ref.ts";
import type { GradeKind, RawFinding, SettingTable, SettingValues } from "./detector.ts";

/** All detectors, the most telling first: of two findings that weigh the same, the first is told. */
export const detectors = [
  repeatedCall,
  callCycle,
  noProgress,
  consecutiveFailures,
  unchangedPoll,
  politeClosure,
  repeatedMessage,
  storm,
  retryStorm,
  budget,
  goalDistance,
  judgedLoop,
] as const;

/** Name of a detector. */
export type DetectorName = (typeof detectors)[number]["name"];

type Known = (typeof detectors)[number];

/** What a finding tells of. */
export type Subject = SubjectsIn<Known["tells"]>;
type SubjectsIn<Tells> = Tells extends string ? Tells : Tells[keyof Tells];

/** How detectors look at a window, by name: those that can be told anything. Plain JSON. */
export type DetectionSettings = {
  readonly [D in Known as keyof D["settings"] extends never ? never : D["name"]]: SettingValues<D["settings"]>;
};

export type DetectorSettings = { readonly [D in keyof DetectionSettings]?: Partial<DetectionSettings[D]> };

export const settingTables: Readonly<Record<string, SettingTable>> = Object.fromEntries(
  detectors
    .map(({ name, settings }): [string, SettingTable] => [name, settings])
    .filter(([, table]) => Object.keys(table).length > 0),
);

type Values = Readonly<Record<string, number | string>>;

const standard: Readonly<Record<string, Values>> = Object.fromEntries(
  Object.entries(settingTables).map(([name, table]) => [
    name,
    Object.fromEntries(Object.entries(table).map(([setting, { standard }]) => [setting, standard])),
  ]),
);

// What is made of the tables has the types that are made of them: no other place says either.
export const standardDetectorSettings = standard as DetectionSettings;

export const settingsWith = memoizeByRef((settings: DetectorSettings): DetectionSettings => {
  const overrides: Readonly<Record<string, Partial<Values> | undefined>> = settings;
  return Object.fromEntries(
    Object.entries(standard).map(([name, values]) => [name, { ...values, ...overrides[name] }]),
  ) as DetectionSettings;
});

const NONE: Values = {};

/** One detector's own; of a detector without any an empty record. */
export function settingsFor(name: string, all: DetectionSettings): Values {
  return (all as Readonly<Record<string, Values>>)[name] ?? NONE;
}

export interface Finding extends RawFinding {
  readonly detector: DetectorName;
}

type Grades = Readonly<Record<string, GradeKind>>;

export const grades = Object.fromEntries(detectors.map(({ name, grades }) => [name, grades])) as Readonly<
  Record<DetectorName, Grades>
>;

const subjects = new Map<string, Readonly<Record<string, Subject>>>(
  detectors.map(({ name, tells }) => [name, typeof tells === "string" ? { main: tells } : tells]),
);

export function subjectOf({ detector, grade = "main" }: Pick<Finding, "detector" | "grade">): Subject {
  const subject = subjects.get(detector) ?? {};
  return (Object.hasOwn(subject, grade) ? subject[grade] : undefined) ?? subject.main ?? "call";
}

/** Names of all detectors. */
export const detectorNames: readonly DetectorName[] = detectors.map(({ name }) => name);

export function detectorsThatNeed(what: "arrivals" | "opinion"): readonly DetectorName[] {
  return detectors.filter((detector) => "needs" in detector && detector.needs === what).map(({ name }) => name);
}
