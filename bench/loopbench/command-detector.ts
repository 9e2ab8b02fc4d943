import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { type AnswerLimits, answerIn, type Detector, DetectorFailure, late, tooLong } from "./detector.ts";

/** A program: a line of a shell, or a file with its arguments. */
export type Program = string | readonly [file: string, ...args: string[]];

/** A program that is asked on standard input and answers on standard output, a line each. It is started anew after a failure. */
export function commandDetector(program: Program, limits: AnswerLimits): Detector {
  let running: RunningProgram | undefined;
  const stop = () => {
    running?.stop();
    running = undefined;
  };
  return {
    async ask(question) {
      running ??= started(program, limits);
      try {
        return answerIn(await running.ask(JSON.stringify(question)));
      } catch (error) {
        stop();
        throw error;
      }
    },
    close: async () => stop(),
  };
}

interface RunningProgram {
  /** @returns the next line that it writes @throws DetectorFailure */
  ask(line: string): Promise<string>;
  stop(): void;
}

function started(program: Program, limits: AnswerLimits): RunningProgram {
  const child = spawned(program);
  const complaints = tailOf(child);
  const inbox = lineInbox(limits);
  child.stdout.on("data", (bytes: Buffer) => inbox.take(bytes));
  // A program that is gone is told of by its exit.
  child.stdin.on("error", () => undefined);
  child.on("error", (error) => inbox.fail(new DetectorFailure("unreachable", error.message, { cause: error })));
  child.on("close", (code, signal) => {
    const said = complaints();
    inbox.fail(new DetectorFailure("crashed", `it ended with ${signal ?? `code ${code}`}${said && `: ${said}`}`));
  });
  const stop = () => {
    process.off("exit", stop);
    killGroup(child);
  };
  process.once("exit", stop);
  return {
    ask(line) {
      const answer = inbox.next();
      child.stdin.write(`${line}\n`);
      return answer;
    },
    stop,
  };
}

/** In a group of its own, so that what a shell has started ends with it. */
function spawned(program: Program): ChildProcessWithoutNullStreams {
  if (typeof program === "string") return spawn(program, { shell: true, detached: true });
  const [file, ...args] = program;
  return spawn(file, args, { detached: true });
}

function killGroup({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself in the meantime.
  }
}

interface LineInbox {
  /** The next line. @throws DetectorFailure */
  next(): Promise<string>;
  take(bytes: Buffer): void;
  fail(failure: DetectorFailure): void;
}

/** Lines as they come, one for each that is waited for. */
function lineInbox(limits: AnswerLimits): LineInbox {
  let pending = Buffer.alloc(0);
  let failure: DetectorFailure | undefined;
  let waiting: { resolve(line: string): void; reject(why: DetectorFailure): void } | undefined;
  const fail = (why: DetectorFailure) => {
    failure ??= why;
    waiting?.reject(failure);
  };
  return {
    async next() {
      if (pending.length > 0) fail(new DetectorFailure("nonsense", "it wrote a line without being asked"));
      if (failure !== undefined) throw failure;
      const timer = setTimeout(() => fail(late(limits)), limits.timeoutMs);
      try {
        return await new Promise<string>((resolve, reject) => {
          waiting = { resolve, reject };
        });
      } finally {
        clearTimeout(timer);
        waiting = undefined;
      }
    },
    take(bytes) {
      if (failure !== undefined) return;
      pending = Buffer.concat([pending, bytes]);
      const end = pending.indexOf("\n");
      if (pending.length > limits.maxBytes) fail(tooLong(limits));
      else if (end >= 0 && waiting !== undefined) {
        waiting.resolve(pending.subarray(0, end).toString());
        pending = pending.subarray(end + 1);
      }
    },
    fail,
  };
}

/** What a program last wrote to standard error. In characters. */
const COMPLAINT = 400;

function tailOf({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let tail = "";
  stderr.on("data", (bytes: Buffer) => {
    tail = (tail + bytes.toString()).slice(-COMPLAINT);
  });
  return () => tail.trim();
}
