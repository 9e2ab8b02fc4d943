import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { startWorkerd } from "../../test/support/servers/workerd.ts";

/** A guard that is watched from another thread. */
export interface Watched {
  readonly url: string;
  /** The longest wait for the health check while something is done, in ms: by the clock, and of the guard's CPU time. */
  silence<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly cpuMs: number; readonly value: T }>;
  stop(): Promise<void>;
}

/** A guard as it ships, in front of a model; both are processes of their own. */
export interface Target extends Watched {
  readonly pid: number;
  /** Resident memory, in MB. */
  rssMb(): number;
  exited(): boolean;
}

export async function startTarget(dist: string, flags: readonly string[] = []): Promise<Target> {
  const model = await startModel();
  const guard = spawn(process.execPath, [...flags, `${dist}/cli/cli.js`, "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      UNLOOP_PORT: "0",
      UNLOOP_UPSTREAM: model.url,
      UNLOOP_LOG: "error",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = /at (http:\/\/[\d.:]+)/.exec(await lineOf(guard.stderr))?.[1] ?? "";
  const pid = guard.pid ?? 0;
  const prober = startProber(url, pid);
  let gone = false;
  guard.on("exit", () => {
    gone = true;
  });
  return {
    url,
    pid,
    rssMb: () => (gone ? Number.NaN : residentMb(pid)),
    silence: prober.silence,
    exited: () => gone,
    async stop() {
      await prober.stop();
      guard.kill("SIGKILL");
      model.stop();
    },
  };
}

/** The same as a Worker, in workerd. */
export async function startWorkerTarget(): Promise<Watched> {
  const model = await startModel();
  const worker = await startWorkerd({ UNLOOP_UPSTREAM: model.url, UNLOOP_STORE_DEADLINE_MS: "5000" });
  const prober = startProber(worker.url, workerdPid());
  return {
    url: worker.url,
    silence: prober.silence,
    async stop() {
      await prober.stop();
      await worker.stop();
      model.stop();
    },
  };
}

async function startModel() {
  const model = spawn(process.execPath, [fileURLToPath(new URL("model.mjs", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = Number(await lineOf(model.stdout));
  return { url: `http://127.0.0.1:${port}`, stop: () => void model.kill("SIGKILL") };
}

/** Of the workerd that this process has started. */
function workerdPid(): number {
  const stats = readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const [head = "", rest = ""] = statOf(pid).split(") ");
    return head.endsWith("(workerd") && Number(rest.split(" ")[1]) === process.pid ? [Number(pid)] : [];
  });
  return stats.at(-1) ?? 0;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

function startProber(url: string, pid: number): Pick<Watched, "silence" | "stop"> {
  const prober = new Worker(new URL("prober.mjs", import.meta.url), { workerData: { url, pid } });
  return {
    async silence(run) {
      prober.postMessage("reset");
      const value = await run();
      prober.postMessage("tell");
      const [longest] = await once(prober, "message");
      return { ...longest, value };
    },
    async stop() {
      await prober.terminate();
    },
  };
}

async function lineOf(stdout: Readable | null): Promise<string> {
  if (stdout === null) throw new Error("The process has no standard output.");
  const [piece] = await once(stdout, "data", { signal: AbortSignal.timeout(20_000) });
  stdout.resume();
  return String(piece);
}

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1024;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One chat request: the answer's status and verdict, and how long it took. */
export function chat(
  { url }: Pick<Watched, "url">,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
) {
  const from = performance.now();
  const terms = { method: "POST", agent, headers: { "content-type": "application/json", ...headers } };
  return new Promise<{ status: number | string; verdict: string; ms: number }>((resolve) => {
    const done = (status: number | string, verdict = "-") => resolve({ status, verdict, ms: performance.now() - from });
    const sent = request(`${url}/v1/chat/completions`, terms, (answer) => {
      answer.resume();
      answer.on("error", (error) => done(error.message));
      answer.on("end", () => done(answer.statusCode ?? 0, String(answer.headers["x-unloop-verdict"] ?? "-")));
    });
    sent.setTimeout(120_000, () => sent.destroy(new Error("no answer in time")));
    sent.on("error", (error) => done(error.message));
    sent.end(body);
  });
}
