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
  /** Tells operators of a file that was taken, or refused: an act like any other. */
  const tell = (
    problems: readonly string[],
    changes?: ReturnType<typeof changesBetween>,
    needsRestart: readonly string[] = [],
  ) => {
    const at = new Date().toISOString();
    const ok = problems.length === 0;
    if (ok) lastSuccessAt = at;
    metrics.configReloaded(ok);
    const lastReload = { at, ok, problems, needsRestart };
    if (path !== undefined) guard.use({ configStatus: { file: path, revision, lastReload, lastSuccessAt } });
    const isStart = ok && changes === undefined;
    if (!ok) log.error({ file, problems }, "config-refused");
    else if (isStart) log.info({ file, revision }, "config-in-force");
    else log.info({ file, revision, changes, ...(needsRestart.length > 0 && { needsRestart }) }, "config-taken");
    const act = ok ? `${file} ${isStart ? "at the start" : "was taken"}` : `${file} was refused: ${problems.join(" ")}`;
    audit.record({ act: "config", actor: "file", reason: act, ...(changes && { changes }) });
    if (!isStart) journalReload(guard, ok ? act : `${file} was refused: ${problems[0]}`);
  };
  let inForce: LoadedSettings = loaded;
  let revision = take(loaded);
  tell([]);
  return watchFiles(loaded.files, () => {
    try {
      const again = reload(inForce.configured);
      const changes = changesBetween(inForce, again);
      revision = take(again);
      inForce = again;
      tell([], changes, waitingForRestart(loaded.settings, again.settings));
      return again.files;
    } catch (error) {
      tell(error instanceof UnloopError ? error.message.split("\n") : ["The file could not be read."]);
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

function journalReload(guard: Guard, reason: string): void {
  const created = Math.floor(Date.now() / 1_000);
  const entry = JSON.stringify({ type: "config", created, actor: "file", reason: reason.slice(0, 500) });
  // The file is in force all the same.
  guard
    .context()
    .stores.journal.append(entry)
    .catch(() => undefined);
}
