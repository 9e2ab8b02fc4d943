import { type Conversation, type LoopVerdict, prefixesOf } from "./conversations.ts";
import { type Detector, DetectorFailure, type FailureKind } from "./detector.ts";

/** A verdict other than `none`. */
export interface LoopFlag {
  readonly turn: number;
  readonly verdict: Exclude<LoopVerdict, "none">;
  readonly reason?: string | undefined;
}

/** What a detector made of one conversation. */
export interface Judged {
  readonly of: Conversation;
  readonly flags: readonly LoopFlag[];
  /** Why nothing is known from some turn on. */
  readonly failure?: JudgedFailure;
}

export interface JudgedFailure {
  /** `not asked`: the detector had been given up. */
  readonly kind: FailureKind | "not asked";
  readonly message: string;
  readonly turn: number;
}

/** So many conversations in a row on which a detector fails are enough. */
const GIVEN_UP = 5;

/**
 * Asks about each prefix of each conversation, one after the other; a run that is ended has no further turns. Conversations
 * come in an order that tells nothing of their labels.
 * @param jobs so many conversations at a time, with a detector each
 */
export async function askAll(
  conversations: readonly Conversation[],
  open: () => Detector,
  jobs: number,
): Promise<readonly Judged[]> {
  const queue = [...conversations].sort((a, b) => (a.key < b.key ? -1 : 1));
  const judged: Judged[] = [];
  let failed = 0;
  const work = async (): Promise<void> => {
    const detector = open();
    try {
      for (let of = queue.shift(); of !== undefined; of = queue.shift()) {
        const one = failed >= GIVEN_UP ? notAsked(of) : await askAbout(of, detector);
        failed = one.failure === undefined ? 0 : failed + 1;
        judged.push(one);
      }
    } finally {
      await detector.close();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return judged;
}

function notAsked(of: Conversation): Judged {
  const message = `not asked: it had failed on ${GIVEN_UP} conversations in a row`;
  return { of, flags: [], failure: { kind: "not asked", message, turn: 0 } };
}

async function askAbout(of: Conversation, detector: Detector): Promise<Judged> {
  const flags: LoopFlag[] = [];
  for (const { turn, messages } of prefixesOf(of)) {
    try {
      const { verdict, reason } = await detector.ask({ id: of.key, turn, messages, tools: of.tools });
      if (verdict !== "none") flags.push({ turn, verdict, reason });
      if (verdict === "end") break;
    } catch (error) {
      if (!(error instanceof DetectorFailure)) throw error;
      return { of, flags, failure: { kind: error.kind, message: error.message, turn } };
    }
  }
  return { of, flags };
}
