import type { Command } from "commander";
import { hostname } from "node:os";
import { type LoadedSettings, loadSettings, type SettingSources } from "../config-file/config-file.ts";
import type { Flags, SettingName, Settings } from "../config/config.ts";
import type { Log } from "../proxy/proxy.ts";
import { jsonLog, serve, type ServedConfiguration, type Serving } from "../node.ts";

const LINGER_MS = 500;

/** Settings that a flag can say, too, with what help shows. */
export const flagTable: Partial<Readonly<Record<SettingName, string>>> = {
  upstream: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  host: "The address to listen on.",
  port: "The port to listen on; 0 takes any free one.",
  config: "A configuration file (YAML or JSON) with upstreams, policies, rules, client keys and admin tokens.",
  log: "Log level: `silent`, `error`, `warn`, `info` or `debug`.",
  mode: "`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.",
  policy: "What counts as a loop and how to intervene: the name of a preset, or a policy as JSON.",
};

export function addServeCommand(program: Command, done: (exitCode: number) => void): void {
  const serving = program
    .command("serve")
    .description("Start the guard in front of an API. Settings are flags or UNLOOP_* variables.");
  for (const [name, about] of Object.entries(flagTable)) serving.option(`--${name} <value>`, about);
  serving.action(async (flags: Flags) => done(await serveUntilStopped({ env: process.env, flags })));
}

async function serveUntilStopped(sources: SettingSources): Promise<number> {
  const loaded = loadSettings(sources);
  const { settings } = loaded;
  const log = process.stderr.isTTY ? terminalLog(settings, (line) => process.stderr.write(line)) : jsonLog(settings);
  const serving = await serve(settings, log, configurationOf(loaded, sources), { warmsUp: true });
  const { drain } = serving;
  process.stderr.write(banner(serving, settings, (loaded.configured?.tokens ?? []).length > 0));
  const signal = await stopSignal();
  log.info({ signal }, "draining");
  await drain();
  // What is still connected, such as a collector that does not answer, does not hold up the end.
  setTimeout(() => process.exit(0), LINGER_MS).unref();
  return 0;
}

export function configurationOf(loaded: LoadedSettings, sources: SettingSources): ServedConfiguration | undefined {
  return loaded.files.length === 0 ? undefined : { loaded, reload: (before) => loadSettings(sources, before) };
}

function banner(
  { url, adminUrl, adminToken }: Serving,
  { upstream, mode, policy, adminToken: own }: Settings,
  hasTokens: boolean,
): string {
  const guarded = upstream?.href ?? "the APIs of OpenAI, Anthropic and Google, and a local Ollama";
  const guards = `Unloop guards ${guarded} (mode ${mode}, policy ${policy}). Point your agent at ${shown(url)}/v1`;
  const page = `${shown(adminUrl)}/unloop/`;
  if (adminToken !== undefined)
    return `${guards}\nTo watch runs and to end them: ${page}#live?token=${adminToken} (set UNLOOP_ADMIN_TOKEN to keep one token)\n`;
  if (own !== undefined || hasTokens)
    return `${guards}\nTo watch runs and to end them: ${page} (it asks for a token)\n`;
  return `${guards}\nIts page is closed, since others than this machine can ask for it: set UNLOOP_ADMIN_TOKEN.\n`;
}

/** Of a server that listens on all addresses the name of this machine. */
function shown(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, `//${hostname()}`);
}

const MARKS: Readonly<Record<string, string>> = { warn: "! ", error: "!! " };
const LEVELS: readonly Settings["log"][] = ["debug", "info", "warn", "error", "silent"];

/** A log for people: `16:24:27 nudge session v8od… detector repeated-call count 3`. */
export function terminalLog({ log: least }: Pick<Settings, "log">, write: (line: string) => unknown): Log {
  const at = (level: Settings["log"]) => (facts: object, event: string) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    const { verdict, ...rest } = facts as Readonly<Record<string, unknown>>;
    const told = Object.entries(rest).filter(([name, value]) => !QUIET.has(name) && value !== undefined && value !== 0);
    const texts = told.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
    const time = new Date().toTimeString().slice(0, 8);
    write(`${[time, `${MARKS[level] ?? ""}${verdict ?? event}`, ...texts].join(" ")}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const QUIET: ReadonlySet<string> = new Set(
  "source read ownMs finish cachedInputTokens estimated step note counter".split(" "),
);

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        // A second signal means: now.
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}
