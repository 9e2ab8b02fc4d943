import { z } from "zod";
import { type LabelledMessage, type LoopVerdict, verdicts } from "./conversations.ts";

/** What a detector is asked: one object of JSON. */
export interface Question {
  /** The same for all questions of a conversation; says nothing of its label. */
  readonly id: string;
  readonly turn: number;
  readonly messages: readonly LabelledMessage[];
  /** The tools that the agent offers; empty where that is not known. */
  readonly tools: readonly unknown[];
}

export interface DetectorAnswer {
  readonly verdict: LoopVerdict;
  readonly reason?: string | undefined;
}

/** Anything that judges conversations, wherever it runs. */
export interface Detector {
  /** @throws DetectorFailure for an answer that does not come, or cannot be read */
  ask(question: Question): Promise<DetectorAnswer>;
  /** Ends what it has started. */
  close(): Promise<void>;
}

/** What one answer may cost. */
export interface AnswerLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type FailureKind = "unreachable" | "crashed" | "late" | "too long" | "nonsense";

/** A detector that gave no answer that counts. */
export class DetectorFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const answer = z.object({ verdict: z.enum(verdicts), reason: z.string().optional() });

/** @throws DetectorFailure for anything but the JSON of an answer */
export function answerIn(text: string): DetectorAnswer {
  try {
    return answer.parse(JSON.parse(text));
  } catch (error) {
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    throw new DetectorFailure("nonsense", `${JSON.stringify(shown)} is not {"verdict": ${verdicts.join("|")}}`, {
      cause: error,
    });
  }
}

/** Of an answer that cannot be read. In characters. */
const SHOWN = 120;

export function late({ timeoutMs }: AnswerLimits): DetectorFailure {
  return new DetectorFailure("late", `no answer within ${timeoutMs / 1000} s`);
}

export function tooLong({ maxBytes }: AnswerLimits): DetectorFailure {
  return new DetectorFailure("too long", `an answer of more than ${maxBytes} bytes`);
}
