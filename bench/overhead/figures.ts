import type { Report } from "../load/client.ts";
import { median, quantile } from "../load/statistics.ts";
import type { Measured } from "./measure.ts";
import type { TargetName } from "./targets.ts";
import { wrongText } from "./wrong-answers.ts";

/** A figure over the rounds: the middle, and between what it lay. */
export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function over(values: readonly number[]): Figure {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Round by round, so that what slows all down in a round does not show. */
export function ratio(values: readonly number[], others: readonly number[]): Figure {
  return over(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/**
 * Of what is added to something: the medians' ratio, and between what the rounds' lay. NaN where the other's median is not
 * above zero, which is noise greater than what was to be measured; rounds of that kind are left out.
 */
function addedRatio(values: readonly number[], others: readonly number[]): Figure {
  const rounds = values.flatMap((value, round) => ((others[round] ?? 0) > 0 ? [value / (others[round] ?? 1)] : []));
  const isTold = median(others) > 0;
  return { ...over(rounds), median: isTold ? median(values) / median(others) : Number.NaN };
}

export interface Throughput {
  readonly perSecond: Figure;
  /** Share of the core that the target had. */
  readonly busy: Figure;
  readonly cpuMs: Figure;
  /** Requests a second of CPU, as a multiple of the bare pass-through's. */
  readonly toBare: Figure;
  readonly wrong: string;
}

export interface Added {
  /** In milliseconds, all of them. */
  readonly p50: Figure;
  readonly p99: Figure;
  readonly first: Figure;
  readonly p50ToBare: Figure;
  readonly p99ToBare: Figure;
  readonly wrong: string;
}

export interface Held {
  readonly cpuMs: Figure;
  /** Requests for the same CPU, as a multiple of the bare pass-through's. */
  readonly toBare: Figure;
  /** It kept up with the rate. */
  readonly isHeld: boolean;
  readonly wrong: string;
}

/** In milliseconds, of each round. */
export const cpuPerRequest = (reports: readonly Report[]): readonly number[] =>
  reports.map(({ cpuMs, answered }) => (cpuMs[0] ?? Number.NaN) / answered);

export function throughput({ saturation }: Measured, name: TargetName): Throughput | undefined {
  const reports = saturation.get(name);
  if (reports === undefined) return undefined;
  const cpu = cpuPerRequest(reports);
  return {
    perSecond: over(reports.map(({ answered, ms }) => (answered * 1_000) / ms)),
    busy: over(reports.map(({ cpuMs, ms }) => (cpuMs[0] ?? 0) / ms)),
    cpuMs: over(cpu),
    toBare: ratio(cpuPerRequest(saturation.get("bare") ?? []), cpu),
    wrong: wrongText(reports),
  };
}

/** Below this share of the rate a target did not keep up with it. */
const KEPT_UP = 0.95;

/** What a request costs at the rate that all can hold. */
export function held({ held, scene }: Measured, name: TargetName): Held | undefined {
  const reports = held.get(name);
  if (reports === undefined) return undefined;
  const cpu = cpuPerRequest(reports);
  const perSecond = median(reports.map(({ answered, ms }) => (answered * 1_000) / ms));
  return {
    cpuMs: over(cpu),
    toBare: ratio(cpuPerRequest(held.get("bare") ?? []), cpu),
    isHeld: perSecond >= KEPT_UP * (scene.heldPerSecond ?? 0),
    wrong: wrongText(reports),
  };
}

type Time = (report: Report) => number;
const p50: Time = ({ totalMs }) => quantile(totalMs, 0.5);
const p99: Time = ({ totalMs }) => quantile(totalMs, 0.99);
const first: Time = ({ firstMs }) => quantile(firstMs, 0.5);

/** What a target adds to the times of asking the model directly. */
export function added({ rate }: Measured, name: TargetName): Added | undefined {
  const own = rate.get(name);
  return own && addedTo(own, { direct: rate.get("direct"), bare: rate.get("bare") });
}

/** The same index the same round. */
export interface Beside {
  readonly direct: readonly Report[] | undefined;
  readonly bare: readonly Report[] | undefined;
}

export function addedTo(own: readonly Report[], { direct, bare }: Beside): Added {
  const beyond = (reports: readonly Report[] | undefined, time: Time) =>
    (reports ?? []).map((report, round) => time(report) - (direct?.[round] ? time(direct[round]) : Number.NaN));
  return {
    p50: over(beyond(own, p50)),
    p99: over(beyond(own, p99)),
    first: over(beyond(own, first)),
    p50ToBare: addedRatio(beyond(own, p50), beyond(bare, p50)),
    p99ToBare: addedRatio(beyond(own, p99), beyond(bare, p99)),
    wrong: wrongText(own),
  };
}
