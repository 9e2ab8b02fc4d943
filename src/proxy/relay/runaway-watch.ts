import { type Runaway, runawayScanner } from "../../runaway/runaway.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import type { RunawayWatch } from "./observe.ts";

/** Texts of one answer that are watched at a time, the newest ones: a stream of nothing but calls must not hold memory for each. */
const MAX_TEXTS = 16;

/**
 * Scans each of an answer's texts for itself: its content, its reasoning, the arguments of each call.
 * @param stop undefined: an answer is not to be cut off for it
 */
export function runawayWatch(terms: RunawayTerms, stop: (() => void) | undefined): RunawayWatch {
  const scanners = new Map<string, ReturnType<typeof runawayScanner>>();
  let runaway: Runaway | undefined;
  return {
    listener(part, text) {
      let scanner = scanners.get(part);
      if (scanner === undefined) {
        scanner = runawayScanner(terms);
        scanners.set(part, scanner);
        const [oldest] = scanners.keys();
        if (scanners.size > MAX_TEXTS && oldest !== undefined) scanners.delete(oldest);
      }
      runaway ??= scanner.push(text);
      return runaway !== undefined && stop !== undefined;
    },
    runaway: () => runaway,
    stop,
  };
}
