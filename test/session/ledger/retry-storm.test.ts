import { describe, expect, it } from "vitest";
import { mergeHistory, type Ledger, termsSignature, withAnswered } from "../../../src/session/session.ts";
import { isFirstAttempt } from "../../../src/evaluation/read/read-request.ts";
import type { Conversation, Step } from "../../../src/step.ts";
import { judgeWith, line, sign, stored } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, numbered, said, times, upTo } from "../../support/builders/steps.ts";

const run = numbered(conversation(times(4, (i) => call("read", { page: i }, `text of page ${i}`))));
const one = upTo(run, 1);

interface Coming extends Said {
  readonly about?: Conversation;
  readonly answer?: Step | "failed";
}

function storyOf(comings: readonly Coming[]): readonly (string | undefined)[] {
  let ledger: Ledger | undefined;
  return comings.map(({ about = one, answer = said("Done."), ...told }, at) => {
    const arrival = { at: 10 * at, terms: termsSignature(JSON.stringify(told.body ?? {}), sign) };
    const merge = mergeHistory(ledger, about, judgeWith({ ...(isFirstAttempt(evidence(told).header) && { arrival }) }));
    const kept = merge.save ?? ledger;
    // The guard answers itself where it has ended the storm.
    const step = merge.now !== undefined || answer === "failed" ? undefined : answer;
    const isAnswered = merge.now !== undefined || answer !== "failed";
    const isCounted = isFirstAttempt(evidence(told).header);
    ledger = kept && stored(isAnswered ? withAnswered(kept, isCounted ? arrival : undefined, step, sign) : kept);
    return merge.now && line(merge.now.intervention);
  });
}

const quiet = (count: number) => times(count, () => undefined);

describe("the same request", () => {
  it("is ended when it comes for the sixth time within a minute, and goes on being", () => {
    expect(storyOf(times(8, () => ({})))).toEqual([
      ...quiet(5),
      ...times(3, () => "short-circuit retry-storm x6 at 0"),
    ]);
  });

  it("is ended, too, where each answer to it says nothing", () => {
    expect(storyOf(times(7, () => ({ answer: said("") }))).map((one) => one?.split(" ")[0])).toEqual([
      ...quiet(5),
      "short-circuit",
      "short-circuit",
    ]);
  });

  it.each<{ name: string; comings: readonly Coming[] }>([
    { name: "if there is no step in it yet, as in a batch", comings: times(100, () => ({ about: upTo(run, 0) })) },
    { name: "if the API fails each time", comings: times(12, () => ({ answer: "failed" })) },
    { name: "if samples are drawn", comings: times(12, (i) => ({ answer: said(i === 4 ? "No." : "Yes.") })) },
    {
      name: "if its call has led to something else each time",
      comings: times(12, (i) => ({ about: numbered(conversation([call("read", { page: 0 }, `text ${i} of it`)])) })),
    },
    { name: "if SDKs count", comings: times(12, (i) => ({ headers: { "x-stainless-retry-count": String(i % 3) } })) },
  ])("is healthy $name", ({ comings }) => expect(storyOf(comings)).toEqual(quiet(comings.length)));
});
