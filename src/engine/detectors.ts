import { budget } from "./detectors/budget.ts";
import { callCycle } from "./detectors/call-cycle.ts";
import { consecutiveFailures } from "./detectors/consecutive-failures.ts";
import { goalDistance } from "./detectors/goal-distance.ts";
import { judgedLoop } from "./detectors/judged-loop.ts";
import { lowNovelty } from "./detectors/low-novelty.ts";
import { noProgress } from "./detectors/no-progress.ts";
import { politeClosure } from "./detectors/polite-closure.ts";
import { repeatedCall } from "./detectors/repeated-call.ts";
import { repeatedMessage } from "./detectors/repeated-message.ts";
import { retryStorm } from "./detectors/retry-storm.ts";
import { storm } from "./detectors/storm.ts";
import { unchangedPoll } from "./detectors/unchanged-poll.ts";

/** All detectors, the most telling first: of two findings that weigh the same, the first is told. */
export const detectors = [
  repeatedCall,
  callCycle,
  noProgress,
  consecutiveFailures,
  unchangedPoll,
  politeClosure,
  repeatedMessage,
  lowNovelty,
  storm,
  retryStorm,
  budget,
  goalDistance,
  judgedLoop,
] as const;

/** Name of a detector. */
export type DetectorName = (typeof detectors)[number]["name"];
