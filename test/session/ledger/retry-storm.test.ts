import { describe, expect, it } from "vitest";
import {
  mergeHistory,
  type EvaluationContext,
  type MergeResult,
  type Ledger,
  termsSignature,
  withAnswered,
} from "../../../src/session/session.ts";
import { isFirstAttempt } from "../../../src/evaluation/read/incoming-request.ts";
import type { Conversation, Step } from "../../../src/step.ts";
import { judgeWith, line, sign, stored } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, numbered, said, times, upTo } from "../../support/builders/steps.ts";

const run = numbered(conversation(times(4, (i) => call("read", { page: i }, `text of page ${i}`))));
const opening = upTo(run, 0);
const one = upTo(run, 1);

interface Coming extends Said {
  readonly about?: Conversation;
  /** Unix seconds. */
  readonly at?: number;
  /** `failed`: it gets none. */
  readonly answer?: Step | "failed";
}

const alike = said("Done.");

/** As a format makes it of a body. */
function samplingKeyOf({ body }: Said): string {
  return JSON.stringify(body ?? {});
}

function judgeAt({ at = 0, ...told }: Coming, overrides: Partial<EvaluationContext> = {}): EvaluationContext {
  const terms = termsSignature(samplingKeyOf(told), sign);
  return judgeWith({ ...(isFirstAttempt(evidence(told).header) && { arrival: { at, terms } }), ...overrides });
}

/** The ledger after one of these requests, which the guard answers itself where it has ended the storm. */
function answered(before: Ledger | undefined, { now, save: kept = before }: MergeResult, coming: Coming) {
  const { answer = alike } = coming;
  if (kept === undefined || (now === undefined && answer === "failed")) return kept;
  const step = now !== undefined || answer === "failed" ? undefined : answer;
  return withAnswered(kept, judgeAt(coming).arrival, step, sign);
}

/** One request after the other, each answered before the next one comes; what each led to. */
function storyOf(
  comings: readonly Coming[],
  overrides: Partial<EvaluationContext> = {},
): readonly (string | undefined)[] {
  let ledger: Ledger | undefined;
  return comings.map((coming) => {
    const merge = mergeHistory(ledger, coming.about ?? one, judgeAt(coming, overrides));
    const kept = answered(ledger, merge, coming);
    ledger = kept && stored(kept);
    return merge.now && line(merge.now.intervention);
  });
}

const every = (seconds: number, count: number, more: Coming = {}) =>
  times(count, (i) => ({ ...more, at: i * seconds }));
const quiet = (count: number) => times(count, () => undefined);

describe("the same request", () => {
  it("is ended when it comes for the sixth time within a minute, and goes on being", () => {
    expect(storyOf(every(10, 8))).toEqual([...quiet(5), ...times(3, () => "short-circuit retry-storm x6 at 0")]);
  });

  it.each([
    {
      name: "if there is no step in it yet: a batch sends one prompt a hundred times",
      comings: every(1, 100, { about: opening }),
    },
    { name: "if the API fails each time", comings: every(1, 12, { answer: "failed" }) },
    {
      name: "if it is answered otherwise once: those are samples",
      comings: times(12, (i) => ({ at: i, answer: said(i === 4 ? "No." : "Yes.") })),
    },
    {
      name: "if an SDK counts its own retries",
      comings: times(12, (i) => ({ at: i, headers: { "x-stainless-retry-count": String(i % 3) } })),
    },
  ])("is healthy $name", ({ comings }) => {
    expect(storyOf(comings)).toEqual(quiet(comings.length));
  });
});
