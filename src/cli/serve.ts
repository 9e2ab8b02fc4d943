import type { Command } from "commander";
import { type LoadedSettings, loadSettings, type SettingSources } from "../config-file/config-file.ts";
import { type Flags, type Setting, type Settings, settingsTable } from "../config/config.ts";
import { jsonLog, serve, type ServedConfiguration, type Serving } from "../node.ts";

const LINGER_MS = 500;

/** `unloop serve`. */
export function addServeCommand(program: Command, done: (exitCode: number) => void): void {
  const serving = program
    .command("serve")
    .description("Start the guard in front of an API. Settings are flags or UNLOOP_* variables.");
  for (const [name, { flag, about }] of Object.entries<Setting>(settingsTable))
    if (flag) serving.option(`--${name} <value>`, about);
  serving.action(async (flags: Flags) => done(await serveUntilStopped({ env: process.env, flags })));
}

/** Serves until SIGINT or SIGTERM, then lets open exchanges finish. Resolves with the exit code. */
async function serveUntilStopped(sources: SettingSources): Promise<number> {
  const loaded = loadSettings(sources);
  const { settings } = loaded;
  const log = jsonLog(settings);
  const serving = await serve(settings, log, configurationOf(loaded, sources));
  const { drain } = serving;
  process.stderr.write(banner(serving, settings));
  const signal = await stopSignal();
  log.info({ signal }, "draining");
  await drain();
  // What is still connected, such as a collector that does not answer, does not hold up the end.
  setTimeout(() => process.exit(0), LINGER_MS).unref();
  return 0;
}

/** How files are read again; undefined where there are none. */
export function configurationOf(loaded: LoadedSettings, sources: SettingSources): ServedConfiguration | undefined {
  return loaded.files.length === 0 ? undefined : { loaded, reload: (before) => loadSettings(sources, before) };
}

function banner({ url, adminUrl, adminToken }: Serving, { upstream, mode, policy }: Settings): string {
  const guarded = upstream?.href ?? "the APIs of OpenAI, Anthropic and Google, and a local Ollama";
  const guards = `Unloop guards ${guarded} (mode ${mode}, policy ${policy}). Point your agent at ${url}/v1\n`;
  if (adminToken === undefined) return guards;
  return `${guards}To watch runs and to end them: ${adminUrl}/unloop/#live?token=${adminToken} (set UNLOOP_ADMIN_TOKEN to keep one token)\n`;
}

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
