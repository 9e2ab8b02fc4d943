import type { Reading } from "../readings/readings.ts";
import { courseOf } from "./flat.ts";
import { type Fault, isLate, type Reference } from "./judge.ts";
import { isLooping, kindNamed } from "./kinds.ts";
import type { State } from "./model.ts";
import type { Played } from "./phases.ts";
import type { Run } from "./run.ts";
import { type LogLine, MACHINE_STALLED } from "./server.ts";
import type { Taken } from "./table.ts";

/** What is promised, and whether it held. */
export interface Promised {
  readonly what: string;
  readonly measured: string;
  readonly isKept: boolean;
}

export interface Soaked {
  readonly played: Played;
  readonly runs: readonly Run[];
  readonly faults: readonly Fault[];
  readonly references: ReadonlyMap<string, Reference>;
  readonly taken: readonly Taken[];
  /** Of the idle server, before and after. */
  readonly before: Reading;
  readonly after: Reading;
  readonly model: State;
  readonly log: readonly LogLine[];
  readonly start: number;
}

/** How much more the heap may hold in the last third than in the middle one. */
const GROWTH_MB = 4;
/** On a busy machine an answer of Redis can come too late; that is allowed, but rarely. */
const LATE_SHARE = 0.002;

export function promises(soaked: Soaked): readonly Promised[] {
  const { faults, runs, played } = soaked;
  const exchanges = runs.flatMap((run) => run.exchanges);
  const none = (what: string, kind: Fault["kind"]): Promised => {
    const count = faults.filter((fault) => fault.kind === kind).length;
    return { what, measured: `${count} of ${exchanges.length} answers`, isKept: exchanges.length > 0 && count === 0 };
  };
  const late = exchanges.filter((exchange) => isLate(exchange, played.outages)).length;
  return [
    referencesKept(soaked),
    none("no broken answer", "broken"),
    none("no wrong verdict", "wrong verdict"),
    none("healthy bytes as they were, both ways", "changed bytes"),
    {
      what: "the store is used while it is there",
      measured: `${late} of ${exchanges.length} requests without it`,
      isKept: late <= LATE_SHARE * exchanges.length,
    },
    ...flatness(soaked),
    ...ends(soaked),
  ];
}

/** What everything else is compared with must itself be right. */
function referencesKept({ references }: Soaked): Promised {
  const wrong = [...references].filter(([name, { usual }]) => {
    const kind = kindNamed(name);
    if (!isLooping(kind)) return usual.some((label) => label !== "ok");
    const isEnded = usual.at(-1)?.endsWith("-> ended") === true;
    const isNudged = usual.slice(0, -1).some((label) => label.startsWith("nudge") || label.endsWith("-> other"));
    return !isNudged || isEnded === kind.heeds;
  });
  const names = wrong.map(([name]) => name).join("; ");
  return { what: "on a quiet guard, all as it should be", measured: names || "yes", isKept: wrong.length === 0 };
}

function flatness({ taken, start }: Soaked): readonly Promised[] {
  const over = (value: (reading: Taken) => number) =>
    courseOf(taken.map((reading) => [(reading.at - start) / 60_000, value(reading)] as const));
  const text = (course: ReturnType<typeof courseOf>, unit: string) =>
    `${course.middle.toFixed(1)} -> ${course.last.toFixed(1)} ${unit}, ${course.perHour.toFixed(1)} an hour`;
  const heap = over(({ heapMb, externalMb }) => heapMb + externalMb);
  const rss = over(({ rssMb }) => rssMb);
  return [
    {
      what: `heap flat (last third at most ${GROWTH_MB} MB over the middle one)`,
      measured: text(heap, "MB"),
      isKept: heap.last - heap.middle <= GROWTH_MB,
    },
    { what: "resident memory (told, not judged)", measured: text(rss, "MB"), isKept: true },
  ];
}

/** Lines that are as it should be: the store's comings and goings, loops before their last rungs, and the server's own end. */
const EXPECTED = new Set(["store-lost", "store-back", "loop-warning", "draining", MACHINE_STALLED]);

const oddity = ({ event, why }: LogLine): string => (why === undefined ? event : `${event} (${why})`);

function ends({ before, after, model, log, runs }: Soaked): readonly Promised[] {
  const left = runs.flatMap(({ exchanges }) => exchanges).filter((exchange) => exchange.left !== undefined).length;
  const odd = log.filter(({ event, level }) => level >= 40 && !EXPECTED.has(event));
  const counts = (event: string) => log.filter((line) => line.event === event).length;
  return [
    {
      what: "sockets back where they were",
      measured: `${before.sockets} -> ${after.sockets}`,
      isKept: after.sockets <= before.sockets,
    },
    {
      what: "nothing open upstream",
      measured: `${model.open} open; ${left} clients left, ${model.brokenOff} answers broken off, ${model.brokenOffAgain} of them asked a second time`,
      isKept: model.open === 0,
    },
    {
      what: "one line in the log for each loss and return of Redis; warnings of loops, nothing else",
      measured: `${counts("store-lost")} lost, ${counts("store-back")} back, ${counts(MACHINE_STALLED)} stalls of a busy machine; ${odd.length === 0 ? "nothing else" : [...new Set(odd.map(oddity))].join(", ")}`,
      isKept: odd.length === 0 && counts("store-lost") === 2 && counts("store-back") === 2,
    },
  ];
}
