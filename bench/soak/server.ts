import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const CLI = resolve(import.meta.dirname, "../../dist/cli/cli.js");

/** A stall, but not the server's: it worked for less time than a stall takes, in milliseconds, and waited for its processor. */
export const MACHINE_STALLED = "machine-stalled";
const STALL_MS = 500;

/** A line of the server's log that is no exchange; `at` in Unix time, milliseconds. */
export interface LogLine {
  readonly event: string;
  /** Why, where it says so. */
  readonly why: string | undefined;
  readonly level: number;
  readonly at: number;
}

/** `unloop serve`, as it is built, on a core of its own. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  /** In order, from its start. */
  readonly log: readonly LogLine[];
  /** Undefined while it runs. */
  exitCode(): number | null | undefined;
  /** As an orchestrator stops it. Resolves with its exit code. */
  stop(): Promise<number | null>;
}

export interface ServerOptions {
  readonly core: number;
  readonly flags: readonly string[];
  readonly upstream: string;
  readonly redisUrl: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startServer({ core, flags, upstream, redisUrl, env = {} }: ServerOptions): Promise<Server> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(UNLOOP_|REDIS_|NODE_OPTIONS)/.test(name));
  const args = ["-c", String(core), process.execPath, ...flags, CLI, "serve", "--port", "0"];
  const child = spawn("taskset", args, {
    env: {
      ...Object.fromEntries(inherited),
      UNLOOP_UPSTREAM: upstream,
      UNLOOP_SECRET: "the secret of this benchmark",
      // Without one it says where its page is, in a line that is none of the log's.
      UNLOOP_ADMIN_TOKEN: "the token of this benchmark",
      REDIS_URL: redisUrl,
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const log: LogLine[] = [];
  const lines = createInterface({ input: child.stderr });
  const url = await new Promise<string>((found, failed) => {
    child.once("exit", (code) => failed(new Error(`The server ended with ${code} before it listened.`)));
    lines.on("line", (line) => {
      const address = /Point your agent at (http:\S+)\/v1/.exec(line)?.[1];
      if (address !== undefined) found(address);
      else note(line, log);
    });
  });
  return {
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    log,
    exitCode: () => (hasEnded(child) ? child.exitCode : undefined),
    async stop() {
      process.off("exit", end);
      if (hasEnded(child)) return child.exitCode;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const patience = setTimeout(end, 40_000);
      const [code] = await gone;
      clearTimeout(patience);
      return code;
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function note(line: string, log: LogLine[]): void {
  if (line.includes('"event":"exchange"')) return;
  if (line.startsWith("To watch runs")) return;
  if (!line.startsWith("{")) {
    log.push({ event: line, why: undefined, level: 50, at: Date.now() });
    return;
  }
  const { event, level, time, ...facts } = JSON.parse(line);
  const isOfMachine = event === "event-loop-stalled" && facts.cpuMs < STALL_MS;
  const why = level < 40 ? undefined : (facts.code ?? facts.error ?? facts.phase);
  log.push({ event: isOfMachine ? MACHINE_STALLED : event, why, level, at: time });
}
