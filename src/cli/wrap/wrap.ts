import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { UnloopError } from "../../errors.ts";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  GEMINI,
  OLLAMA,
  OPENAI,
  type Through,
  VERTEX,
  type Wiring,
} from "./agent.ts";
import { agentNamed, agents, anyCommand } from "./agents.ts";
import { holdFile, type Released, releaseFile } from "./change-files.ts";
import { surroundingsFor } from "./wrapped-file.ts";
import { summaryOf, tallying } from "./tally.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { isGuard } from "../guard-health.ts";
import { guardUrl } from "../guard-url.ts";

/** Command to run behind a guard. */
export interface Wrapped {
  readonly agent: Agent;
  readonly command: string;
  readonly args: readonly string[];
}

export interface WrapOptions {
  /** A guard that runs already; undefined: one is started for the agent alone. */
  readonly guard: string | undefined;
  readonly say: (line: string) => void;
}

/** What stands before `--` names a known agent; what stands behind it alone is any command. @throws UnloopError `bad_setting` */
export function wrappedBy(name: string | undefined, rest: readonly string[]): Wrapped {
  if (name !== undefined) {
    const agent = agentNamed(name);
    if (agent !== undefined) return { agent, command: agent.command, args: rest };
    const names = agents.map((one) => one.name).join(", ");
    throw new UnloopError(
      "bad_setting",
      `"${name}" is not a known agent, so where it is told its base URL is not known either. Known agents: ${names}. ` +
        `If it reads OPENAI_BASE_URL or the like: unloop wrap -- ${name} …. If not: unloop serve, and http://127.0.0.1:8787/v1 as the base URL in its settings (without /v1 for Anthropic's format).`,
    );
  }
  const [command, ...args] = rest;
  if (command === undefined)
    throw new UnloopError(
      "bad_setting",
      "Name an agent or a command: unloop wrap claude, or unloop wrap -- node agent.js.",
    );
  return { agent: anyCommand, command, args };
}

/**
 * Runs an agent behind a guard, in this terminal, and leaves everything as it was. Gives the agent's exit code.
 * @throws UnloopError `bad_setting`, `command_not_found`
 */
export async function wrap({ agent, command, args }: Wrapped, { guard, say }: WrapOptions): Promise<number> {
  const surroundings = surroundingsFor(process.env, args);
  await unwrap("ended", agent.files(surroundings));
  const { log, tally } = tallying();
  // `unwrap`, which waits beside each wrap whose agent has a settings file, needs no guard.
  const { startGuard } = await import("./own-guard.ts");
  const own = guard === undefined ? await startGuard(baseUrlsOf(agent, surroundings), log) : undefined;
  const through = own?.through ?? (await throughRunning(guard ?? ""));
  const wiring = agent.wire(surroundings, through);
  if (own !== undefined) say(`unloop: to watch this run: ${own.page}`);
  let code: number;
  try {
    const env = agentEnvironment(wiring);
    code = await withFiles(wiring, own?.url ?? guard ?? "", () =>
      launch({ command, args: [...wiring.args, ...(wiring.own ?? args)], env }),
    );
  } finally {
    await own?.close();
  }
  if (own !== undefined) say(summaryOf(tally));
  return code;
}

/** The guard's hosts, to which no proxy leads: it would be sent the agent's key in the clear. */
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/** The agent's environment: its settings, no way to the guard through a proxy, and no setting of the guard, which may be a secret. */
function agentEnvironment({ environment }: Wiring): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("UNLOOP_")));
  const { NO_PROXY, no_proxy } = process.env;
  return {
    ...inherited,
    NO_PROXY: withLoopback(NO_PROXY || no_proxy || ""),
    no_proxy: withLoopback(no_proxy || NO_PROXY || ""),
    ...environment,
  };
}

/** A star, which stands for all hosts, does so only by itself. */
function withLoopback(exceptions: string): string {
  const hosts = exceptions.split(",").flatMap((host) => host.trim() || []);
  return hosts.join() === "*" ? exceptions : [...new Set([...hosts, ...LOOPBACK])].join(",");
}

/**
 * Gives back every file that a wrap has changed. Gives those that it has given back.
 * @param named files beside the usual ones, which an agent was told of on its command line
 * @throws UnloopError `bad_setting`
 */
export async function unwrap(which: Released, named: readonly string[] = []): Promise<readonly string[]> {
  const surroundings = surroundingsFor(process.env, []);
  const paths = [...new Set([...agents.flatMap((agent) => agent.files(surroundings)), ...named])];
  const released = await Promise.all(paths.map(async (path) => ((await releaseFile(path, which)) ? [path] : [])));
  return released.flat();
}

function baseUrlsOf(agent: Agent, surroundings: AgentEnvironment): readonly string[] {
  const urls = new Set<string>();
  const collect: Through = (baseUrl) => {
    if (!URL.canParse(baseUrl))
      throw new UnloopError("bad_setting", `The agent's base URL ${JSON.stringify(baseUrl)} is not a URL.`);
    urls.add(baseUrl);
    return baseUrl;
  };
  agent.wire(surroundings, collect);
  return [...urls];
}

async function withFiles(wiring: Wiring, guard: string, run: () => Promise<number>): Promise<number> {
  if (wiring.files.length === 0) return run();
  const { pid } = process;
  const caretaker = startCaretaker(wiring.files.map(({ path }) => path));
  try {
    for (const file of wiring.files) await holdFile(file, { pid, guard });
    return await run();
  } finally {
    for (const { path } of wiring.files) await releaseFile(path, { pid });
    caretaker.stdin?.end();
  }
}

/** A process that gives the files back when this one is killed without a word: its standard input ends then. */
function startCaretaker(paths: readonly string[]): ChildProcess {
  const [, cli = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, cli, "unwrap", "--when-orphaned", "--", ...paths], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.unref();
  // Its standard input is a socket of ours, and must not keep us from ending.
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return child;
}

/** The origins to which a guard leads without any prefix: by wire format or path, or to its one upstream. */
const ROUTED = [OPENAI, ANTHROPIC, GEMINI, VERTEX, OLLAMA].map((url) => new URL(url).origin);

/** Leads through a guard that runs already. @throws UnloopError `bad_setting` where it is no URL, or none answers there */
async function throughRunning(guard: string): Promise<Through> {
  const { origin } = new URL(guardUrl(guard));
  if (!(await isGuard(origin, 2_000))) {
    throw new UnloopError(
      "bad_setting",
      `No guard answers at ${guard}. Start one with \`unloop serve\`, or omit --guard.`,
    );
  }
  return (baseUrl) => {
    const { origin: upstream, pathname } = new URL(baseUrl);
    if (ROUTED.includes(upstream)) return origin + withoutEndSlashes(pathname);
    throw new UnloopError(
      "bad_setting",
      `The agent uses ${baseUrl}, but the running guard's routes are unknown here. Omit --guard, or set the agent's base URL by hand.`,
    );
  };
}

/** Signals that are passed on to the agent. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** A terminal sends these to the agent as well as to us, so that passing them on would say them twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a command in this terminal until it ends. Gives its exit code, or 128 and the number of the signal that ended it.
 * @throws UnloopError `command_not_found` where there is no such command
 */
async function launch({ command, args, env }: Launch): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit", env });
  const passOn = (signal: NodeJS.Signals) => {
    if (process.stdin.isTTY && FROM_TERMINAL.includes(signal)) return;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) => reject(notFound(command, error)));
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

function notFound(command: string, cause: Error): UnloopError {
  const why = "code" in cause && cause.code === "ENOENT" ? "was not found" : `could not be started (${cause.message})`;
  return new UnloopError("command_not_found", `The command "${command}" ${why}.`, { cause });
}
