import { cpuUsage } from "node:process";

/** A time in which nothing else had its turn. */
export interface Stall {
  readonly ms: number;
  /** CPU time of the process meanwhile; far less than `ms` where the machine was busy with something else. */
  readonly cpuMs: number;
  /** The largest work that had begun since the last look, and its size in bytes; `other` where none had. */
  readonly phase: string;
  readonly bytes: number;
}

export interface Watchdog {
  /** Work begins that has the event loop to itself. */
  works(phase: string, bytes: number): void;
  stop(): void;
}

const EVERY_MS = 100;
const LONGEST_MS = 500;
const NOTHING = { phase: "other", bytes: 0 };

/** Looks ten times a second whether the event loop turns. @param clock milliseconds, monotonic @param report told of each long stall */
export function watchEventLoop(clock: () => number, report: (stall: Stall) => void): Watchdog {
  let largest = NOTHING;
  let at = clock();
  let cpu = cpuUsage();
  const timer = setInterval(() => {
    const ms = clock() - at - EVERY_MS;
    const { user, system } = cpuUsage(cpu);
    if (ms > LONGEST_MS) report({ ...largest, ms: Math.round(ms), cpuMs: Math.round((user + system) / 1_000) });
    largest = NOTHING;
    at = clock();
    cpu = cpuUsage();
  }, EVERY_MS).unref();
  return {
    works(phase, bytes) {
      if (bytes >= largest.bytes) largest = { phase, bytes };
    },
    stop: () => clearInterval(timer),
  };
}
