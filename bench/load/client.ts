import { cpuMs } from "./process.ts";
import { type Address, type Answered, type Play, type Player, player, type Wrong } from "./player.ts";

/**
 * The load generator, a process of its own: agents in runs that never repeat. Takes orders from its parent
 * and answers each with a report. Agents stay where they are in their runs between orders of the same `crew`.
 */
export interface Order {
  /** Who plays: agents of the same crew go on where they were. */
  readonly crew: string;
  readonly address: Address;
  readonly play: Play;
  readonly agents: number;
  /** New agents begin spread over their run, so that they are not all at its end at the same time; or all at its first turn. */
  readonly isStaggered: boolean;
  readonly load: Load;
  /** Processes whose CPU time is of interest. */
  readonly watched: readonly number[];
}

/** Several orders may be under way at a time. */
export interface Asked {
  readonly id: number;
  readonly order: Order;
}

export interface Reported {
  readonly id: number;
  readonly report: Report;
}

export type Load =
  /** Each agent asks again as soon as it has its answer. */
  | { readonly kind: "saturation"; readonly ms: number }
  /** Requests are due at fixed times, whether the earlier ones are answered or not. */
  | { readonly kind: "rate"; readonly perSecond: number; readonly ms: number }
  /** So many requests of each agent. */
  | { readonly kind: "requests"; readonly each: number };

export interface Report {
  readonly answered: number;
  readonly wrong: Partial<Record<Wrong, number>>;
  /** From the first request until the last that counts. */
  readonly ms: number;
  /** Of each watched process, in that time. In milliseconds. */
  readonly cpuMs: readonly number[];
  /** From when the request was due until the first byte of the answer's payload, and until its last. */
  readonly firstMs: readonly number[];
  readonly totalMs: readonly number[];
}

interface Taking {
  take(due: number, answered: Answered): void;
  /** What comes later does not count. */
  close(): Report;
}

let runs = 0;
const crews = new Map<string, readonly Player[]>();

function crewOf({ crew, address, play, agents, isStaggered }: Order): readonly Player[] {
  const span = isStaggered ? play.to - play.from + 1 : 0;
  const nextRun = () => {
    runs += 1;
    return runs;
  };
  const made =
    crews.get(crew) ??
    Array.from({ length: agents }, (_, index) =>
      player(address, play, nextRun, play.from + Math.floor((index * span) / agents)),
    );
  crews.set(crew, made);
  return made;
}

function taking(watched: readonly number[]): Taking {
  const began = performance.now();
  const before = watched.map(cpuMs);
  const wrong: Partial<Record<Wrong, number>> = {};
  const [firstMs, totalMs]: [number[], number[]] = [[], []];
  let closed = false;
  return {
    take(due, answered) {
      if (closed) return;
      firstMs.push(answered.firstAt - due);
      totalMs.push(answered.lastAt - due);
      if (answered.wrong !== undefined) wrong[answered.wrong] = (wrong[answered.wrong] ?? 0) + 1;
    },
    close() {
      closed = true;
      const spent = watched.map((pid, index) => cpuMs(pid) - (before[index] ?? 0));
      return { answered: totalMs.length, wrong, ms: performance.now() - began, cpuMs: spent, firstMs, totalMs };
    },
  };
}

async function carryOut(order: Order): Promise<Report> {
  const crew = crewOf(order);
  const results = taking(order.watched);
  const report = await played(crew, order.load, results);
  for (const one of crew) one.rest();
  return report;
}

function played(crew: readonly Player[], load: Load, results: Taking): Promise<Report> {
  switch (load.kind) {
    case "saturation":
      return saturated(crew, load.ms, results);
    case "rate":
      return atRate(crew, load, results);
    case "requests":
      return counted(crew, load.each, results);
  }
}

/** Resolves when the last answer is there; what came after the time was up does not count. */
function saturated(crew: readonly Player[], ms: number, results: Taking): Promise<Report> {
  const until = performance.now() + ms;
  let report: Report | undefined;
  let busy = crew.length;
  return new Promise((resolve) => {
    for (const one of crew) {
      const ask = () => {
        const due = performance.now();
        one.send((answered) => {
          results.take(due, answered);
          if (answered.lastAt < until) return ask();
          report ??= results.close();
          busy -= 1;
          if (busy === 0) resolve(report);
        });
      };
      ask();
    }
  });
}

function counted(crew: readonly Player[], each: number, results: Taking): Promise<Report> {
  const one = (player: Player) =>
    new Promise<void>((resolve) => {
      let left = each;
      const ask = () => {
        const due = performance.now();
        player.send((answered) => {
          results.take(due, answered);
          left -= 1;
          if (left > 0) ask();
          else resolve();
        });
      };
      ask();
    });
  return Promise.all(crew.map(one)).then(results.close);
}

/** A timer is up to so much late: the rest of the time is waited for turn by turn. */
const TIMER_SLACK_MS = 2;

function atRate(crew: readonly Player[], load: { perSecond: number; ms: number }, results: Taking): Promise<Report> {
  const count = Math.round((load.perSecond * load.ms) / 1_000);
  const start = performance.now() + TIMER_SLACK_MS;
  const dueAt = (index: number) => start + (index * 1_000) / load.perSecond;
  const idle = [...crew];
  const waiting: number[] = [];
  let answeredCount = 0;
  return new Promise((resolve) => {
    const send = (one: Player, due: number): void =>
      one.send((answered) => {
        results.take(due, answered);
        answeredCount += 1;
        if (answeredCount === count) return resolve(results.close());
        const next = waiting.shift();
        if (next === undefined) idle.push(one);
        else send(one, next);
      });
    let index = 0;
    const step = () => {
      while (index < count && dueAt(index) <= performance.now()) {
        // The one that has rested longest, so that all take part.
        const one = idle.shift();
        if (one === undefined) waiting.push(dueAt(index));
        else send(one, dueAt(index));
        index += 1;
      }
      if (index === count) return;
      const leftMs = dueAt(index) - performance.now();
      if (leftMs > TIMER_SLACK_MS) setTimeout(step, leftMs - TIMER_SLACK_MS);
      else setImmediate(step);
    };
    step();
  });
}

process.on("message", async ({ id, order }: Asked) => process.send?.({ id, report: await carryOut(order) }));
process.once("disconnect", () => process.exit());
process.send?.({ ready: true });
