import { UnloopError } from "../errors.ts";
import { factsOf, type Log, type Meter } from "./meter.ts";

/** Runs work whose failure is reported to operators and to nobody else. Resolves to undefined where it fails. */
export function inBackground({ log, meter }: { readonly log: Log; readonly meter: Meter }) {
  return async <T>(run: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await run();
    } catch (error) {
      // A store that fails has a log line of its own elsewhere; anything else is a bug here.
      const isStore = error instanceof UnloopError && error.code === "store_unavailable";
      if (isStore) meter.storeFailed();
      if (isStore) log.debug(factsOf(error), "store-failed");
      else log.error(factsOf(error), "guard-failed");
      return undefined;
    }
  };
}

/** Runs an optional fast path. A failure counts as "does not apply": undefined, and the caller takes the slower path. */
export function optionally<T>(
  run: () => T | undefined,
  { log }: { readonly log: Log },
  event: "turn-failed" | "guard-failed",
): T | undefined {
  try {
    return run();
  } catch (error) {
    log.error(factsOf(error), event);
    return undefined;
  }
}

/** Undefined where the promise rejects: for questions whose failure is counted where they are asked. */
export async function orUndefined<T>(question: Promise<T>): Promise<T | undefined> {
  try {
    return await question;
  } catch {
    return undefined;
  }
}
