import { appendFile, rename, stat } from "node:fs/promises";
import type { Settings } from "../config/config.ts";
import type { ExchangeReport, Log } from "../proxy/proxy.ts";
import { stepsOfRun } from "../session/session.ts";
import { whyUnreadable } from "../why-unreadable.ts";
import { refuseUnwritable, stamps } from "./audit.ts";
import { BoundedMap } from "../text/bounded-map.ts";

/** Number of the lines' form; raised when a reader of the one before would misread it. */
const FORM = 1;
/** Lines that wait at most: a disk that is slow or full costs lines, not memory. In characters. */
const MAX_WAITING = 16 * 1024 * 1024;
/** A larger file becomes `<file>.1` in place of the one before, so that an export that nobody collects fills no disk. In bytes. */
const MAX_FILE = 512 * 1024 * 1024;
const TOGETHER_MS = 50;

/**
 * One JSON line for each guarded exchange, with what a replay needs of it. No texts. Undefined where none is asked for.
 * @throws UnloopError `bad_setting` where nothing can be written
 */
export function exportDecisions({ decisions }: Pick<Settings, "decisions">, log: Log) {
  if (decisions === undefined) return undefined;
  const written = new BoundedMap<string, number>(MAX_THREADS);
  const { stamped, revise } = stamps();
  const { write, close } = lineWriter(decisions, (lines, why) => {
    log.error({ lines, why }, "decisions-lost");
    // Nobody knows which threads' lines these were.
    written.clear();
  });
  return {
    observe: (report: ExchangeReport) => write(`${JSON.stringify(stamped(decisionOf(report, written)))}\n`),
    revise,
    close,
  };
}

/** Threads whose lines are known to have been written; of any other all that is known is written again. */
const MAX_THREADS = 20_000;

/** @param written index of the first step of each thread that is to be written: the last one before may have got its outcome only now */
function decisionOf(report: ExchangeReport, written: Map<string, number>) {
  const { run, intervention, policy, mode, wire, model, responseModel, verdict, finishReason, failure } = report;
  const from = written.get(run?.thread ?? "") ?? 0;
  if (run !== undefined) written.set(run.thread, Math.max(0, run.total - 1));
  return {
    decision: FORM,
    ...{ session: report.session, ...report.placement, policy, mode, wire, model, responseModel, verdict },
    ...{ rung: intervention?.rung, detector: intervention?.detector },
    ...{ count: intervention?.count, loop: intervention?.loop },
    ...{ status: report.status, finishReason, failure, cut: report.cut || undefined, ...report.usage },
    ...{ ownMs: report.ownMs, durationMs: report.durationMs },
    ...(run && { thread: run.thread, ...stepsOfRun.encode(run, from < run.total ? from : 0) }),
  };
}

/** Deadline for the last lines at shutdown: nobody may read standard output any more. */
const CLOSING_MS = 2_000;

/** Lines go out together, in order; what cannot be written is lost. */
function lineWriter(target: string, onLost: (lines: number, why: string) => void) {
  const append = target === "stdout" ? toStdout : toFile(target);
  let waiting: string[] = [];
  let size = 0;
  let lost = 0;
  let leaving = 0;
  let writing: Promise<void> | undefined;
  const flush = async () => {
    const [lines, missing] = [waiting, lost];
    [waiting, size, lost] = [[], 0, 0];
    leaving = lines.length;
    if (missing > 0) onLost(missing, "too many wait");
    try {
      await append(lines.join(""));
    } catch (error) {
      onLost(lines.length, whyUnreadable(error) ?? String(error));
    }
    leaving = 0;
    writing = waiting.length === 0 ? undefined : flush();
  };
  return {
    write(line: string) {
      if (size + line.length > MAX_WAITING) lost++;
      else {
        waiting.push(line);
        size += line.length;
        writing ??= new Promise((resolve) => setTimeout(resolve, TOGETHER_MS)).then(flush);
      }
    },
    /** Writes what waits. Never rejects. */
    async close(): Promise<void> {
      const late = new Promise<"late">((resolve) => void setTimeout(resolve, CLOSING_MS, "late").unref());
      while (writing !== undefined)
        if ((await Promise.race([writing, late])) === "late")
          return onLost(leaving + waiting.length + lost, "they could not be written before the end");
    },
  };
}

function toStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Opened anew each time, so that a file may be rotated. */
function toFile(path: string): (text: string) => Promise<void> {
  refuseUnwritable(path, "The decision export", "UNLOOP_DECISIONS");
  return async (text) => {
    await appendFile(path, text, { mode: 0o600 });
    if ((await stat(path)).size > MAX_FILE) await rename(path, `${path}.1`);
  };
}
