import type { Audit } from "./admin/audit.ts";
import type { Metrics } from "./admin/metrics/prometheus.ts";
import { limitNames, type Settings } from "./config/config.ts";
import { changesBetween, type Configured, type LoadedSettings, watchFiles } from "./config-file/config-file.ts";
import { UnloopError } from "./errors.ts";
import type { Guard, Log } from "./proxy/proxy.ts";

/** Files as they were read at the start, and how they are read again. */
export interface ServedConfiguration {
  readonly loaded: LoadedSettings;
  /** @param before what is in force */
  readonly reload: (before: Configured | undefined) => LoadedSettings;
}

interface NoteFacts {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly guard: Guard;
  readonly audit: Audit;
}

/** Takes what the files say, and takes it again whenever they change; of files with mistakes nothing. */
export function keepConfigured(
  { loaded, reload }: ServedConfiguration,
  take: (loaded: LoadedSettings) => string,
  { log, metrics, guard, audit }: NoteFacts,
): () => void {
  const { config: path } = loaded.settings;
  const file = path ?? loaded.files.map(([name]) => name).join(", ");
  let lastSuccessAt = new Date().toISOString();
  const report = (problems: readonly string[], needsRestart: readonly string[] = []) => {
    const at = new Date().toISOString();
    const ok = problems.length === 0;
    if (ok) lastSuccessAt = at;
    metrics.configReloaded(ok);
    if (path !== undefined)
      guard.use({
        configStatus: { file: path, revision, lastReload: { at, ok, problems, needsRestart }, lastSuccessAt },
      });
  };
  let inForce: LoadedSettings = loaded;
  let revision = take(loaded);
  report([]);
  log.info({ file, revision }, "config-in-force");
  audit.record({ act: "config", actor: "file", reason: `${file} at the start` });
  return watchFiles(loaded.files, () => {
    try {
      const again = reload(inForce.configured);
      const changes = changesBetween(inForce, again);
      revision = take(again);
      inForce = again;
      const needsRestart = waitingForRestart(loaded.settings, again.settings);
      report([], needsRestart);
      log.info({ file, revision, changes, ...(needsRestart.length > 0 && { needsRestart }) }, "config-taken");
      tellReload(guard, file, []);
      audit.record({ act: "config", actor: "file", reason: `${file} was taken`, changes });
      return again.files;
    } catch (error) {
      const problems = error instanceof UnloopError ? error.message.split("\n") : ["The file could not be read."];
      report(problems);
      log.error({ file, problems }, "config-refused");
      tellReload(guard, file, problems);
      audit.record({ act: "config", actor: "file", reason: `${file} was refused: ${problems.join(" ")}` });
      return undefined;
    }
  });
}

/** Limits that are put to use as soon as they change; the others have become pools, timers and caches at the start. */
const TAKEN_AT_ONCE = new Set<string>(["maxBodyBytes", "sessionTtlMs", "drainMs"]);

/** Limits that the file has changed since the start, and that hold only after the next one; each with a sentence. */
function waitingForRestart(first: Settings, now: Settings): readonly string[] {
  const waiting = limitNames.filter((name) => first[name] !== now[name] && !TAKEN_AT_ONCE.has(name));
  return waiting.map(
    (name) => `limits.${name} is ${now[name]} from the next start on; until then ${first[name]} holds.`,
  );
}

/** An operator's act like any other. */
function tellReload({ control: { stores } }: Guard, file: string, [problem]: readonly string[]): void {
  const reason = problem === undefined ? `${file} was taken` : `${file} was refused: ${problem}`;
  const created = Math.floor(Date.now() / 1_000);
  const entry = JSON.stringify({ type: "config", created, actor: "file", reason: reason.slice(0, 500) });
  // The file is in force all the same.
  stores.journal.append(entry).catch(() => undefined);
}
