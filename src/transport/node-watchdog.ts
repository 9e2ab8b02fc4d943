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

/** CPU time of the process, in milliseconds. The question costs as much as a quiet step: it is asked once in a look. */
function usedMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}

/** Looks ten times a second whether the event loop turns. @param clock milliseconds, monotonic @param report told of each long stall */
export function watchEventLoop(clock: () => number, report: (stall: Stall) => void): Watchdog {
  let largest = NOTHING;
  let at = clock();
  let cpuMs = usedMs();
  const timer = setInterval(() => {
    const [now, used] = [clock(), usedMs()];
    const ms = now - at - EVERY_MS;
    if (ms > LONGEST_MS) report({ ...largest, ms: Math.round(ms), cpuMs: Math.round(used - cpuMs) });
    largest = NOTHING;
    [at, cpuMs] = [now, used];
  }, EVERY_MS).unref();
  return {
    works(phase, bytes) {
      if (bytes >= largest.bytes) largest = { phase, bytes };
    },
    stop: () => clearInterval(timer),
  };
}
