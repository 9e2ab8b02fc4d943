import { callFlood, FLOOD_LAPS, type Runaway, runawayScanner } from "../../runaway/runaway.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import type { AnswerListener } from "../../protocols/protocols.ts";
import type { RunawayWatch } from "./observe.ts";

/** Texts of one answer that are watched at a time, the newest ones: a stream of nothing but calls must not hold memory for each. */
const MAX_TEXTS = 16;

/**
 * Scans each of an answer's texts for itself (its content, its reasoning, the arguments of each call), and counts its calls.
 * @param stop undefined: an answer is not to be cut off for it
 */
export function runawayWatch(terms: RunawayTerms, stop: (() => void) | undefined): RunawayWatch {
  const scanners = new Map<string, ReturnType<typeof runawayScanner>>();
  const flood = callFlood();
  let runaway: Runaway | undefined;

  function scan(name: string, text: string): Runaway | undefined {
    let scanner = scanners.get(name);
    if (scanner === undefined) {
      scanner = runawayScanner(terms);
      scanners.set(name, scanner);
      const [oldest] = scanners.keys();
      if (scanners.size > MAX_TEXTS && oldest !== undefined) scanners.delete(oldest);
    }
    return scanner.push(text);
  }

  function found(part: Parameters<AnswerListener>[0]): Runaway | undefined {
    if (part.kind === "text" || part.kind === "reasoning") return scan(part.kind, part.text);
    const isFlood =
      part.kind === "call-start"
        ? flood.begin(part.call, part.tool)
        : part.kind === "call-args" && flood.grow(part.call, part.text);
    if (isFlood) return { laps: FLOOD_LAPS, blockTokens: 0, chars: 0, calls: flood.calls() };
    return part.kind === "call-args" ? scan(`call ${part.call}`, part.text) : undefined;
  }

  return {
    listener(part) {
      runaway ??= found(part);
      return runaway !== undefined && stop !== undefined;
    },
    runaway: () => runaway,
    stop,
  };
}
