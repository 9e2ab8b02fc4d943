import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A process of a benchmark that runs on one core. */
export interface Pinned {
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export interface PinnedOptions {
  readonly core: number;
  /** What is started, if not node. */
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A channel for messages to and from it. */
  readonly isTalking?: boolean;
}

const running = new Set<ChildProcess>();
const endAll = () => {
  for (const child of running) child.kill("SIGKILL");
};
let isWatched = false;

/** Ended with this process, if that is not killed outright. */
function endWithUs(): void {
  if (isWatched) return;
  isWatched = true;
  process.once("exit", endAll);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
}

/** Starts node, or another program, on one core. What it says is dropped: nobody's log is read, and nobody waits for one to be. */
export function pinned(
  args: readonly string[],
  { core, command = process.execPath, env = {}, cwd, isTalking = false }: PinnedOptions,
): Pinned {
  endWithUs();
  const inherited = Object.entries(process.env).filter(([name]) => !/^(UNLOOP_|REDIS_|NODE_OPTIONS)/.test(name));
  const child = spawn("taskset", ["-c", String(core), command, ...args], {
    env: { ...Object.fromEntries(inherited), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: isTalking ? ["ignore", "ignore", "inherit", "ipc"] : "ignore",
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error("`taskset` could not be run; this benchmark needs Linux.");
  return {
    pid,
    child,
    async stop() {
      if (!running.has(child)) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const patience = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await gone;
      clearTimeout(patience);
    },
  };
}

/** Resolves when somebody listens there. */
export async function reachable(port: number, { child }: Pinned): Promise<void> {
  const until = performance.now() + 90_000;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} before it listened.`);
    if (performance.now() > until) throw new Error("It does not listen after 90 s.");
    await pause(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** What all threads of a process have run. In milliseconds. */
export function cpuMs(pid: number): number {
  const ns = readdirSync(`/proc/${pid}/task`).map((thread) => runNs(`/proc/${pid}/task/${thread}/schedstat`));
  return ns.reduce((sum, one) => sum + one, 0) / 1e6;
}

function runNs(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]);
  } catch {
    // The thread ended while the others were being read.
    return 0;
  }
}

/** Memory of a process that is in use. In megabytes. */
export function rssMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1_024;
}
