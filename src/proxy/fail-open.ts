import { type AnswerTap, factsOf, type Log } from "../evaluation/evaluation.ts";
import { answerReader, type Protocol } from "../protocols/protocols.ts";

/* The catcher: whatever goes wrong in the guard itself, the traffic passes. */

/** Runs a stage of the guard; where it fails, `otherwise` takes its place. */
export async function failOpen<T, Other>(
  run: () => Promise<T>,
  otherwise: (facts: ReturnType<typeof factsOf>) => Other,
): Promise<T | Other> {
  try {
    return await run();
  } catch (error) {
    return otherwise(factsOf(error));
  }
}

/** Tap of the answer to a request at this path and query, so that a reader's failure does not disturb the bytes. */
export function answerTap(protocol: Protocol, target: string, log: Log): AnswerTap {
  let lost = false;
  const look = <T>(run: () => T): T | undefined => {
    try {
      return lost ? undefined : run();
    } catch (error) {
      lost = true;
      log.error(factsOf(error), "fold-failed");
      return undefined;
    }
  };
  return (contentType, listener) => {
    const reader = look(() => answerReader(protocol, contentType, listener, target));
    return {
      isStream: () => look(() => reader?.isStream()) ?? false,
      push: (bytes) => look(() => reader?.push(bytes)),
      readTo: () => look(() => reader?.readTo()) ?? 0,
      end: () => look(() => reader?.end()),
      close: (acts) => look(() => reader?.close(acts)),
    };
  };
}

/** A callback of the surrounding program whose exceptions have no effect here. */
export function noThrow<Given extends readonly unknown[]>(call: (...args: Given) => void): (...given: Given) => void {
  return (...args) => {
    try {
      call(...args);
    } catch {
      // There is nowhere left to report it.
    }
  };
}

/** A log or a meter of the surrounding program whose exceptions have no effect here. */
export function harmless<Port extends object>(port: Port): Port {
  return new Proxy({} as Port, {
    get(_, name) {
      const call: unknown = Reflect.get(port, name);
      return typeof call === "function" ? noThrow((...args) => call.apply(port, args)) : call;
    },
  });
}
