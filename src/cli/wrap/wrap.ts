import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { UnloopError } from "../../errors.ts";
import {
  type Agent,
  type AgentEnvironment,
  ANTHROPIC,
  type Environment,
  type FileCopy,
  GEMINI,
  OLLAMA,
  OPENAI,
  type Through,
  VERTEX,
  type Wiring,
} from "./agent.ts";
import { agentNamed, agents, anyCommand } from "./agents.ts";
import type { OwnGuard } from "./own-guard.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { guardUrl, isGuard } from "../guard-health.ts";
import { changeFile, isAlive } from "../change-file.ts";
import type { Log } from "../../proxy/proxy.ts";

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
  const { log, tally } = tallying();
  const { startGuard } = await import("./own-guard.ts");
  const scratch = await scratchFolder();
  const surroundings = { ...surroundingsFor(process.env, args), scratch };
  let own: OwnGuard | undefined;
  let code: number;
  try {
    own = guard === undefined ? await startGuard(baseUrlsOf(agent, surroundings), log) : undefined;
    const wiring = agent.wire(surroundings, own?.through ?? (await throughRunning(guard ?? "")));
    await writeCopies(wiring.copies);
    if (own !== undefined) say(`unloop: to watch this run: ${own.page}`);
    const env = agentEnvironment(wiring);
    code = await launch({ command, args: [...wiring.args, ...(wiring.own ?? args)], env });
    await giveBack(wiring.copies);
  } finally {
    await own?.close();
    await rm(scratch, { recursive: true, force: true });
  }
  if (own !== undefined) say(summaryOf(tally));
  return code;
}

/** What an agent with these arguments is started among here and now. */
export function surroundingsFor(env: Environment, args: readonly string[]): AgentEnvironment {
  return { env, home: homedir(), cwd: process.cwd(), args, scratch: "", read: readIfThere };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // No such file is the usual case, and one that cannot be read is the agent's to complain of.
    return undefined;
  }
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

const NAME = "unloop-wrap-";

/** A folder of this wrap alone, for changed copies of an agent's files, which may hold keys. */
async function scratchFolder(): Promise<string> {
  await removeLeftOver();
  return mkdtemp(join(tmpdir(), `${NAME}${process.pid}-`));
}

/** Of wraps that were killed. */
async function removeLeftOver(): Promise<void> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(NAME));
  const dead = names.filter((name) => !isAlive(Number(name.slice(NAME.length).split("-")[0])));
  await Promise.all(
    dead.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

async function writeCopies(copies: readonly FileCopy[]): Promise<void> {
  for (const { at, text } of copies) await writeFile(at, text, { mode: 0o600 });
}

/** What the agent has changed in a copy goes into its own file, without the guard's addresses. */
async function giveBack(copies: readonly FileCopy[]): Promise<void> {
  for (const { at, text, source, through } of copies) {
    if (source === undefined || !existsSync(at)) continue;
    const now = await readFile(at, "utf8");
    if (now === text) continue;
    const own = through.reduce((rest, [guard, url]) => rest.replaceAll(guard, url), now);
    await changeFile(source, () => own);
  }
}

/** Tally of a wrapped run. */
interface Tally {
  /** Exchanges that the guard has judged, and that were answered. */
  steps: number;
  /** Exchanges of guarded endpoints that it could not read. */
  unread: number;
  /** Status of each exchange that brought an error in place of an answer; 0 where nothing came. */
  readonly failures: number[];
  /** As far as upstream tells them; 0 where it does not. */
  tokens: number;
  /** Number of times that each rung was carried out, by detector. */
  readonly loops: Map<string, Map<string, number>>;
}

/** Counts what the guard logs in place of writing it: the terminal belongs to the agent. */
export function tallying(): { readonly log: Log; readonly tally: Tally } {
  const tally: Tally = { steps: 0, unread: 0, failures: [], tokens: 0, loops: new Map() };
  const ignore = () => undefined;
  return {
    tally,
    log: {
      debug: ignore,
      warn: ignore,
      error: ignore,
      info: (facts, event) => (event === "exchange" ? count(tally, facts) : undefined),
    },
  };
}

interface ExchangeFacts {
  readonly verdict?: string;
  readonly status?: number;
  readonly detector?: string;
  readonly rung?: string;
  readonly runaway?: unknown;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

function count(tally: Tally, facts: ExchangeFacts): void {
  const { verdict, status = 200, detector, rung, runaway, inputTokens = 0, outputTokens = 0 } = facts;
  tally.tokens += inputTokens + outputTokens;
  // What the guard itself refuses is no failure.
  if (rung !== "short-circuit" && (status === 0 || status >= 400)) tally.failures.push(status);
  else if (verdict === "unguarded") tally.unread += 1;
  else tally.steps += 1;
  if (detector !== undefined && rung !== undefined) countAct(tally, detector, rung);
  if (runaway !== undefined) countAct(tally, "runaway-output", "cut");
}

function countAct({ loops }: Tally, detector: string, rung: string): void {
  const acts = loops.get(detector) ?? new Map<string, number>();
  acts.set(rung, (acts.get(rung) ?? 0) + 1);
  loops.set(detector, acts);
}

/** One line on what the guard saw and did. */
export function summaryOf({ steps, unread, failures, tokens, loops }: Tally): string {
  if (steps + unread === 0) return `unloop: ${nothingOf(failures)}. Run \`unloop doctor\` to find out why.`;
  const acts = [...loops].map(([detector, rungs]) => `${detector}: ${[...rungs].map(times).join(", ")}`);
  return [
    `unloop: ${amount(steps, "step")}`,
    acts.length === 0 ? "no loop" : `${amount(loops.size, "loop")} (${acts.join("; ")})`,
    ...(tokens === 0 ? [] : [amount(tokens, "token")]),
    ...(unread === 0 ? [] : [`${amount(unread, "request")} passed unread`]),
    ...(failures.length === 0 ? [] : [`${amount(failures.length, "request")} failed (${statusesOf(failures)})`]),
  ].join(", ");
}

function nothingOf(failures: readonly number[]): string {
  const count = failures.length;
  if (count === 0) return "no guarded request came through";
  const which = count === 1 ? "which" : count === 2 ? "both" : "all";
  return `${amount(count, "request")}, ${which} failed (${statusesOf(failures)})`;
}

function statusesOf(failures: readonly number[]): string {
  return [...new Set(failures)].map((status) => (status === 0 ? "no answer" : status)).join(", ");
}

function times([rung, count]: readonly [string, number]): string {
  return count === 1 ? rung : `${rung} ×${count}`;
}

function amount(count: number, unit: string): string {
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
}
