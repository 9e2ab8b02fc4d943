import type { Settings } from "../config/config.ts";
import { jsonLog, serve } from "../node.ts";

/** Serves until SIGINT or SIGTERM, then lets open exchanges finish. Resolves with the exit code. */
export async function serveUntilStopped(settings: Settings): Promise<number> {
  const log = jsonLog(settings);
  const { url, drain } = await serve(settings, log);
  process.stderr.write(banner(url, settings));
  const signal = await stopSignal();
  log.info({ signal, drainMs: settings.drainMs }, "draining");
  await drain(settings.drainMs);
  return 0;
}

function banner(url: string, { upstream, mode, policy }: Settings): string {
  const guarded = upstream?.href ?? "the APIs of OpenAI and Anthropic";
  return `Unloop guards ${guarded} (mode ${mode}, policy ${policy}). Point your agent at ${url}/v1\n`;
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
