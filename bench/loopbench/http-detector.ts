import { type AnswerLimits, answerIn, type Detector, DetectorFailure, late, tooLong } from "./detector.ts";

/** A service that is posted each question, and answers with status 200. */
export function httpDetector(url: string, limits: AnswerLimits): Detector {
  return {
    async ask(question) {
      const signal = AbortSignal.timeout(limits.timeoutMs);
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(question),
          redirect: "error",
          signal,
        });
        const text = await bounded(response, limits);
        if (response.status !== 200) throw new DetectorFailure("nonsense", `status ${response.status}`);
        return answerIn(text);
      } catch (error) {
        if (error instanceof DetectorFailure) throw error;
        if (signal.aborted) throw late(limits);
        throw new DetectorFailure("unreachable", `${url} gave no answer: ${reasonOf(error)}`, { cause: error });
      }
    },
    close: async () => undefined,
  };
}

async function bounded({ body }: Response, limits: AnswerLimits): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > limits.maxBytes) throw tooLong(limits);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** What fetch throws says little; its cause says more. */
function reasonOf(error: unknown): string {
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return told instanceof Error ? told.message : String(told);
}
