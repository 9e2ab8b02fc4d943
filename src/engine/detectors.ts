import { budget } from "./detectors/budget.ts";
import { callCycle } from "./detectors/call-cycle.ts";
import { consecutiveFailures } from "./detectors/consecutive-failures.ts";
import { goalDistance } from "./detectors/goal-distance.ts";
import { judgedLoop } from "./detectors/judged-loop.ts";
import { lowNovelty } from "./detectors/low-novelty.ts";
import { noProgress } from "./detectors/no-progress.ts";
import { politeClosure } from "./detectors/polite-closure.ts";
import { repeatedCall } from "./detectors/repeated-call.ts";
import { repeatedMessage } from "./detectors/repeated-message.ts";
import { retryStorm } from "./detectors/retry-storm.ts";
import { storm } from "./detectors/storm.ts";
import { unchangedPoll } from "./detectors/unchanged-poll.ts";
import { memoizeByRef } from "./memoize-by-ref.ts";
import type { SettingTable, SettingValues } from "./detector.ts";

/** All detectors, the most telling first: of two findings that weigh the same, the first is told. */
export const detectors = [
  repeatedCall,
  callCycle,
  noProgress,
  consecutiveFailures,
  unchangedPoll,
  politeClosure,
  repeatedMessage,
  lowNovelty,
  storm,
  retryStorm,
  budget,
  goalDistance,
  judgedLoop,
] as const;

/** Name of a detector. */
export type DetectorName = (typeof detectors)[number]["name"];

type Known = (typeof detectors)[number];

/** How detectors look at a window, by name: those that can be told anything. Plain JSON. */
export type DetectionSettings = {
  readonly [D in Known as keyof D["settings"] extends never ? never : D["name"]]: SettingValues<D["settings"]>;
};

/** Settings that a policy may override, for any detector. */
export type DetectorSettings = { readonly [D in keyof DetectionSettings]?: Partial<DetectionSettings[D]> };

/** What each setting may be, by detector. */
export const settingTables: Readonly<Record<string, SettingTable>> = Object.fromEntries(
  detectors.map(({ name, settings }): [string, SettingTable] => [name, settings]).filter(([, table]) => hasAny(table)),
);

function hasAny(table: SettingTable): boolean {
  return Object.keys(table).length > 0;
}

type Values = Readonly<Record<string, number | string>>;

function standardOf(table: SettingTable): Values {
  return Object.fromEntries(Object.entries(table).map(([name, { standard }]) => [name, standard]));
}

const standard: Readonly<Record<string, Values>> = Object.fromEntries(
  Object.entries(settingTables).map(([name, table]) => [name, standardOf(table)]),
);

// What is made of the tables has the types that are made of them: no other place says either.
export const standardDetectorSettings = standard as DetectionSettings;

/** All settings, those that are left out as they are by default. */
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
