import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evidenceAt } from "../../src/engine/evidence.ts";
import { viewOf } from "../../src/engine/view.ts";
import { judgeWith, ledgerAfter } from "../support/builders/detection.ts";
import { ask, call, conversation, heard, type Part, times, together } from "../support/builders/steps.ts";

function evidenceOf(parts: readonly Part[]) {
  const { window, total } = ledgerAfter(conversation(parts), judgeWith());
  return evidenceAt(viewOf({ window, total, requestedRepeats: 0, elsewhere: 0 }).actions);
}

const sumOf = (parts: readonly Part[]) => evidenceOf(parts).sum;
const PAGE =
  "Kestrel Optics makes lenses for field microscopes and telescopes, sells through regional dealers, offers repair and training.";
const words = ["founded", "history", "origin", "start", "established", "year", "beginning", "first"];
const lines = [
  "The harbour lies in the morning mist",
  "and a gull cries over the empty pier",
  "where nets are hung between two masts",
  "until the fishermen return from sea",
  "with silver in their heavy wooden boats",
  "and songs about the lanterns of the town",
  "that wait for them along the narrow quay",
  "as candles wait behind a window pane",
];
const search = (i: number, text = PAGE) => call("search", { q: `kestrel ${words[i]}` }, text);

describe("adds up what tells nothing new", () => {
  it.each([
    { name: "one long answer to four more questions", parts: times(5, (i) => search(i)), sum: 4 },
    {
      name: "other windows of one text, all of whose lines were told",
      parts: [0, 4, 2, 1, 3, 2].map((from, i) =>
        call("read", { file: "poem", window: words[i] }, lines.slice(from, from + 4).join("\n")),
      ),
      sum: 2.5,
    },
    {
      name: "a query in other words that finds no rows",
      parts: times(6, (i) =>
        call(
          "run_sql",
          { sql: `select id from orders where ${words[i]} is not null and day > 0` },
          `{"columns":["id"],"rows":[],"row_count":0,"truncated":false}`,
        ),
      ),
      sum: 3,
    },
  ])("$name", ({ parts, sum }) => expect(sumOf(parts)).toBeCloseTo(sum, 5));
});

describe("is nothing where something is learnt, done or waited for", () => {
  it.each([
    {
      name: "a verdict of one word to each of many questions",
      parts: times(9, (i) =>
        call("can", { of: `may the ${words[i % 8]} be changed by ${i % 3}` }, i % 4 ? "no" : "yes"),
      ),
    },
    {
      name: "something new at the last step",
      parts: [...times(5, (i) => search(i)), call("read", {}, "an article that is new")],
    },
  ])("$name", ({ parts }) => expect(sumOf(parts)).toBeLessThan(2));
});

describe("a wide turn", () => {
  const jobs = (news: number) =>
    together(...times(12, (i) => ask("job", { id: `j${i}` }, i === 11 ? `${words[news]} is done` : PAGE)));

  it("is nothing while the last of its calls brings something new", () =>
    expect(sumOf(times(6, (i) => jobs(i)))).toBe(0));

  it("adds up where all of it is known", () => expect(sumOf(times(6, () => jobs(0)))).toBe(5));
});

const part = fc.oneof(
  fc
    .tuple(fc.constantFrom("search", "read", "send_email", "press"), fc.nat(3), fc.nat(3))
    .map(([tool, asks, tells]) => call(tool, { q: words[asks] }, `${PAGE} ${words[tells]}`)),
  fc.constantFrom("And the other one?", "Thanks, now the next.").map((text) => heard(text)),
);

describe("whatever is done", () => {
  it("the sum is never less than nothing, nor more than the steps that add to it", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 40 }), (parts) => {
        const { sum, actions } = evidenceOf([call("look", {}, "a first look"), ...parts]);
        expect(sum).toBeGreaterThanOrEqual(0);
        expect(sum).toBeLessThanOrEqual(actions.length);
      }),
    );
  });
});
