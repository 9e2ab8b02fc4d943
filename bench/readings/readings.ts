import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** What a process holds after all garbage was collected. */
export interface Reading {
  readonly heapMb: number;
  /** Outside the heap, of JavaScript's objects: buffers for the most part. */
  readonly externalMb: number;
  readonly rssMb: number;
}

export interface Readings {
  /** For node, of the process that is to be read. */
  readonly flags: readonly string[];
  /** One at a time. @throws when the process says nothing within 20 s, or is gone */
  read(pid: number): Promise<Reading>;
  /** Removes what was written. */
  end(): void;
}

const PRELOAD = pathToFileURL(resolve(import.meta.dirname, "preload.mjs")).href;
const PATIENCE_MS = 20_000;

export function readings(): Readings {
  const folder = mkdtempSync(join(tmpdir(), "unloop-readings-"));
  const to = join(folder, "readings.jsonl");
  writeFileSync(to, "");
  let taken = 0;
  return {
    flags: ["--expose-gc", "--import", `${PRELOAD}?to=${encodeURIComponent(to)}`],
    async read(pid) {
      process.kill(pid, "SIGUSR2");
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const line = readFileSync(to, "utf8").split("\n")[taken];
        if (line?.endsWith("}")) break;
        if (performance.now() > until) throw new Error(`Process ${pid} does not tell what it holds.`);
        await pause(20);
      }
      const line = readFileSync(to, "utf8").split("\n")[taken] ?? "";
      taken += 1;
      return readingIn(line);
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const MB = 1024 * 1024;

function readingIn(line: string): Reading {
  const { heapUsed, external, rss } = JSON.parse(line);
  return { heapMb: heapUsed / MB, externalMb: external / MB, rssMb: rss / MB };
}
