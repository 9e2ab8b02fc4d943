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
  /** In the Prometheus text format. */
  metrics(): Promise<string>;
  exited(): boolean;
  /** Asks it to end as an orchestrator does; resolves to how long that took, in ms. */
  terminate(): Promise<number>;
}

export async function startTarget(
  dist: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Target> {
  const model = await startModel();
  const guard = spawn(process.execPath, [...flags, `${dist}/cli/cli.js`, "serve"], {
    env: {
      PATH: process.env.PATH ?? "",
      UNLOOP_PORT: "0",
      UNLOOP_UPSTREAM: model.url,
      UNLOOP_LOG: "error",
      ...env,
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
    metrics: async () => (await ask(`${url}/unloop/metrics`, { method: "GET" })).body,
    silence: prober.silence,
    exited: () => gone,
    async terminate() {
      const from = performance.now();
      guard.kill("SIGTERM");
      if (!gone) await once(guard, "exit");
      return performance.now() - from;
    },
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

export interface Told {
  readonly status: number;
  readonly verdict: string;
  readonly detector: string | undefined;
  readonly fields: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly timeoutMs?: number;
}

export function ask(url: string, { method = "POST", headers = {}, body, timeoutMs = 120_000 }: Asking): Promise<Told> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, agent, headers: { "content-type": "application/json", ...headers } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            verdict: String(answer.headers["x-unloop-verdict"] ?? "-"),
            detector: answer.headers["x-unloop-detector"]?.toString(),
            fields: answer.headers,
            body: Buffer.concat(pieces).toString(),
            ms: performance.now() - from,
          }),
        );
      },
    );
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error("no answer in time")));
    sent.on("error", reject);
    sent.end(body);
  });
}

export const chat = (
  target: Pick<Target, "url">,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  query = "",
): Promise<Told> =>
  ask(`${target.url}/v1/chat/completions${query}`, {
    headers,
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
