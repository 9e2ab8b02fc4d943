import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { builtCli } from "../support/processes/built-cli.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import type { CommandLine, Place } from "./command-line.ts";

const settled = "All is set up.";

export async function homeOf(
  agent: CommandLine,
  script: Script,
  {
    at = Object.values(agent.places)[0],
    host = "127.0.0.1",
    env = {},
    before = async (url: string) => url,
  }: {
    readonly at?: ((url: string) => Place) | undefined;
    readonly host?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly before?: (upstream: string) => Promise<string>;
  } = {},
) {
  let isSettled = !agent.settles;
  const answers: Script = (...asked) => (isSettled ? script(...asked) : { kind: "text", text: settled });
  const upstream = await scriptedUpstream(answers, agent.wire);
  const folder = mkdtempSync(join(tmpdir(), "wrapped-agent-"));
  onTestFinished(async () => {
    await upstream.close();
    endDaemon(agent, folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const place = at?.((await before(upstream.url)).replace("127.0.0.1", host)) ?? {};
  for (const [path, contents] of Object.entries(place.settings ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  for (const name of ["bin", "project"]) mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(agent.executable ?? "", join(folder, "bin", agent.command ?? agent.name));
  writeFileSync(join(folder, "project/notes.txt"), "one\ntwo\n");
  const paths = Object.keys(place.settings ?? {});
  const textOf = (path: string) => readFileSync(join(folder, path), "utf8").replace(agent.renews ?? "", "");
  const left = () => Object.fromEntries(paths.map((path) => [path, textOf(path)]));
  const traces = () =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.includes(".unloop-wrap"));
  const home = { upstream, folder, place, settings: left(), left, traces };
  if (isSettled) return home;
  await ended(alone(agent, home, env));
  // It would keep the environment that it was started with.
  endDaemon(agent, folder);
  isSettled = true;
  return { ...home, settings: left() };
}

export type Home = Awaited<ReturnType<typeof homeOf>>;

function started(file: string, args: readonly string[], agent: CommandLine, home: Home, env = {}): ChildProcess {
  const { folder, place } = home;
  const path = [join(folder, "bin"), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(file, [...args, ...(place.args ?? []), ...agent.args], {
    cwd: join(folder, "project"),
    detached: true,
    env: { PATH: path, HOME: folder, NO_COLOR: "1", ...agent.env, ...place.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => endGroup(child));
  return child;
}

export function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function endDaemon({ daemon = "" }: CommandLine, folder: string): void {
  const path = join(folder, daemon);
  if (daemon === "" || !existsSync(path)) return;
  try {
    process.kill(JSON.parse(readFileSync(path, "utf8")).pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

export function alone(agent: CommandLine, home: Home, env = {}): ChildProcess {
  return started(join(home.folder, "bin", agent.command ?? agent.name), [], agent, home, env);
}

export function wrapped(agent: CommandLine, home: Home, env = {}): ChildProcess {
  const named = agent.isKnown === false ? ["--", agent.command ?? agent.name] : [agent.name];
  return started(process.execPath, [builtCli, "wrap", ...named], agent, home, env);
}

export async function ended(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("its output is not piped");
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
  return { out, err, code };
}
