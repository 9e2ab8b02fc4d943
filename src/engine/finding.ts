import { type DetectorName, detectors } from "./detectors.ts";
import type { GradeKind, RawFinding, Subject } from "./detector.ts";

/** Finding: one loop, seen at one step by one detector. */
export interface Finding extends RawFinding {
  readonly detector: DetectorName;
}

type Grades = Readonly<Record<string, GradeKind>>;

/** Grades by detector: the kinds of its findings that may have a ladder of their own. */
export const grades = Object.fromEntries(detectors.map(({ name, grades }) => [name, grades])) as Readonly<
  Record<DetectorName, Grades>
>;

const subjects = new Map<string, Readonly<Record<string, Subject>>>(
  detectors.map(({ name, tells }) => [name, typeof tells === "string" ? { main: tells } : tells]),
);

/** What a detector's findings of a grade tell of. */
export function subjectOf({ detector, grade = "main" }: Pick<Finding, "detector" | "grade">): Subject {
  const subject = subjects.get(detector) ?? {};
  return (Object.hasOwn(subject, grade) ? subject[grade] : undefined) ?? subject.main ?? "call";
}

/** Names of all detectors. */
export const detectorNames: readonly DetectorName[] = detectors.map(({ name }) => name);

/** The detectors that need more than the steps. */
export function detectorsThatNeed(what: "arrivals" | "opinion"): readonly DetectorName[] {
  return detectors.filter((detector) => "needs" in detector && detector.needs === what).map(({ name }) => name);
}
