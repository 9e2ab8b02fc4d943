import { isLooping, type Kind, kindNamed } from "./kinds.ts";
import type { Exchange, Run } from "./run.ts";

/** A stretch of time; Unix time, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** How runs of a kind go when nothing else goes on: one label for each request. */
export interface Reference {
  readonly usual: readonly string[];
  /** With no Redis at all. */
  readonly without: readonly string[];
}

export interface Expected {
  /** By kind. */
  readonly references: ReadonlyMap<string, Reference>;
  /** When Redis was not there, or not known to be. */
  readonly outages: readonly Span[];
}

export type FaultKind = "broken" | "wrong verdict" | "changed bytes";

export interface Fault {
  readonly kind: FaultKind;
  readonly run: string;
  readonly of: string;
  /** Which request of the run. */
  readonly request: number;
  readonly at: number;
  readonly what: string;
}

/** What was done to a request and its answer, as the agent can see it. */
export function labelOf({ verdict, answer, asked }: Exchange): string {
  const done = answer === "as said" ? "" : ` -> ${answer ?? "nothing"}`;
  return `${verdict}${asked === "other" ? " (rewritten)" : ""}${done}`;
}

/** Nobody hung up, so its verdict is the agent's to see. */
const isSeen = ({ left, broken }: Exchange): boolean => left === undefined && broken.length === 0;

export function faultsOf(run: Run, expected: Expected): readonly Fault[] {
  const kind = kindNamed(run.kind);
  return run.exchanges.flatMap((exchange, request) => {
    const fault = (of: FaultKind, what: string): Fault => {
      return { kind: of, run: run.name, of: run.kind, request, at: exchange.at, what };
    };
    if (exchange.broken.length > 0) return exchange.broken.map((what) => fault("broken", what));
    if (!isSeen(exchange)) return [];
    if (isLooping(kind))
      return isAsExpected(run, kind, request, expected) ? [] : [fault("wrong verdict", labelOf(exchange))];
    return healthyFaults(exchange).map(([of, what]) => fault(of, what));
  });
}

/** Nothing is done to a healthy run, whatever happens to Redis. */
function healthyFaults({ verdict, answer, asked }: Exchange): readonly (readonly [FaultKind, string])[] {
  return [
    ...(verdict === "ok" || verdict === "degraded" ? [] : [["wrong verdict", verdict] as const]),
    ...(answer === "as said" ? [] : [["changed bytes", "the answer"] as const]),
    ...(asked === "as sent" ? [] : [["changed bytes", "the request"] as const]),
  ];
}

function isAsExpected(run: Run, kind: Kind, request: number, { references, outages }: Expected): boolean {
  const { exchanges } = run;
  const { usual = [], without = [] } = references.get(kind.name) ?? {};
  const label = labelOf(exchanges[request] as Exchange);
  if (!hasMissed(run, outages)) return label === usual[request];
  if (kind.tells === "last turn") return isNoHarder(label, usual.slice(0, request + 1));
  const allowed = [usual[request], without[request]].map((one) => bare(one ?? ""));
  return allowed.includes(bare(label));
}

/** Of such a run the store may have forgotten what no history tells. */
export function hasMissed({ exchanges }: Run, outages: readonly Span[]): boolean {
  const [first, last] = [exchanges[0], exchanges.at(-1)];
  if (first === undefined || last === undefined) return false;
  const end = last.at + last.ms;
  return exchanges.some(isDegraded) || outages.some(({ from, until }) => first.at <= until && end >= from);
}

export const isDegraded = ({ verdict }: Exchange): boolean => verdict.startsWith("degraded");

/** Without what only a store remembers: that it is there, and how often earlier notes are shown again. */
const bare = (label: string): string => label.replace(/^degraded/, "ok").replace(/\+\d+| \(rewritten\)/g, "");

/** What a run has lost can only put off what is done about it. */
function isNoHarder(label: string, usual: readonly string[]): boolean {
  return hardness(label) <= Math.max(...usual.map(hardness));
}

const HARD = [/^(ok|degraded)/, /^nudge|-> other$/, /^force-done/, /^short-circuit|-> ended$/];

/** Whether it was done to the request or to the answer; nothing that is known is infinitely hard. */
function hardness(label: string): number {
  const found = HARD.findLastIndex((pattern) => pattern.test(label));
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

/** Whether Redis was said to be away although it was there. */
export function isLate(exchange: Exchange, outages: readonly Span[]): boolean {
  const end = exchange.at + exchange.ms;
  return isDegraded(exchange) && !outages.some(({ from, until }) => exchange.at <= until && end >= from);
}
