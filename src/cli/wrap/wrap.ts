import type { Command } from "commander";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
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
import { summaryOf, tallying } from "./tally.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);

export function addWrapCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .enablePositionalOptions()
    .command("wrap")
    .description("Run an agent behind a guard of its own; its settings files stay as they are.")
    .usage("[options] AGENT [arguments of the agent]\n       unloop wrap [options] -- COMMAND [arguments]")
    .argument("[agent]", agents.map(({ name }) => name).join(", "))
    .argument("[arguments...]")
    .option("--guard <url>", "use a running guard")
    .passThroughOptions()
    .allowUnknownOption()
    .action(
      async (_agent: string | undefined, _arguments: string[], { guard }: { guard?: string }, command: Command) => {
        done(await wrap(...wrapped(command.args, process.argv.slice(2)), guard));
      },
    );
}

/** Behind `--` alone stands any command; a name in front of it, or without it, is an agent's. @throws UnloopError `bad_setting` */
function wrapped(operands: readonly string[], argv: readonly string[]): [Agent, readonly string[]] {
  const [name, ...others] = operands;
  const dashes = argv.indexOf("--");
  if (name === undefined)
    throw new UnloopError(
      "bad_setting",
      "Name an agent or a command: unloop wrap claude, or unloop wrap -- node agent.js.",
    );
  if (dashes !== -1 && argv.length - dashes - 1 >= operands.length) return [{ ...anyCommand, command: name }, others];
  const agent = agentNamed(name);
  if (agent !== undefined) return [agent, others[0] === "--" ? others.slice(1) : others];
  const names = agents.map((one) => one.name).join(", ");
  throw new UnloopError(
    "bad_setting",
    `"${name}" is not a known agent, so where it is told its base URL is not known either. Known agents: ${names}. ` +
      `If it reads OPENAI_BASE_URL or the like: unloop wrap -- ${name} …. If not: unloop serve, and http://127.0.0.1:8787/v1 as the base URL in its settings (without /v1 for Anthropic's format).`,
  );
}

/** Gives the agent's exit code. @param guard one that runs already @throws UnloopError `bad_setting` */
async function wrap(agent: Agent, args: readonly string[], guard: string | undefined): Promise<number> {
  const { log, tally } = tallying();
  const { startGuard } = await import("./own-guard.ts");
  const scratch = await scratchFolder();
  const surroundings = { ...surroundingsFor(process.env, args), scratch };
  let own: OwnGuard | undefined;
  let code: number;
  try {
    own = guard === undefined ? await startGuard(baseUrlsOf(agent, surroundings), log) : undefined;
    const wiring = agent.wire(surroundings, own?.through ?? (await throughRunning(guard ?? "")));
    const { copy } = wiring;
    if (copy !== undefined) await writeFile(copy.at, copy.text, { mode: 0o600 });
    if (own !== undefined) say(`unloop: to watch this run: ${own.page}`);
    code = await launch(agent.command, [...(wiring.args ?? []), ...(wiring.own ?? args)], agentEnvironment(wiring));
    if (copy !== undefined) await giveBack(copy);
  } finally {
    await own?.close();
    await rm(scratch, { recursive: true, force: true });
  }
  if (own !== undefined) say(summaryOf(tally));
  return code;
}

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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** A terminal sends these to the agent as well as to us, so that passing them on would say them twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

/** Gives the command's exit code, or 128 and the number of the signal that ended it. @throws UnloopError `bad_setting` */
async function launch(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
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
  const cure = "Install it, or give its path: unloop wrap -- /path/to/command.";
  return new UnloopError("bad_setting", `The command "${command}" ${why}. ${cure}`, { cause });
}

const NAME = "unloop-wrap-";

/** A folder of this wrap alone, for changed copies of an agent's files, which may hold keys. Those of wraps that were killed go. */
async function scratchFolder(): Promise<string> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(NAME));
  const dead = names.filter((name) => !isAlive(Number(name.slice(NAME.length).split("-")[0])));
  await Promise.all(
    dead.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
  return mkdtemp(join(tmpdir(), `${NAME}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** What the agent has changed in a copy goes into its own file, without the guard's addresses. */
async function giveBack({ at, text, source, through = [] }: FileCopy): Promise<void> {
  if (source === undefined || !existsSync(at)) return;
  const now = await readFile(at, "utf8");
  const own = through.reduce((rest, [guard, url]) => rest.replaceAll(guard, url), now);
  if (now === text) return;
  const file = await realpath(source);
  const draft = `${file}.unloop-${process.pid}`;
  try {
    await writeFile(draft, own, { mode: (await stat(file)).mode });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new UnloopError(
      "bad_setting",
      `What the agent has changed in its settings could not be put back into ${source}: make it writable.`,
      { cause },
    );
  }
}
