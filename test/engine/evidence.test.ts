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
      name: "two calls round and round, in no strict order",
      parts: [0, 1, 0, 0, 1, 1, 0].map((i) =>
        call(i === 0 ? "open" : "back", {}, i === 0 ? PAGE : "Welcome to our home page of today"),
      ),
      sum: 5,
    },
    {
      name: "an answer that counts the calls, whatever they are",
      parts: times(7, (i) =>
        call(
          "put",
          { disk: "small", to: i % 2 ? "left peg" : "middle peg" },
          `after ${i + 1} moves the small disk lies on the ${i % 2 ? "left" : "middle"} one of the pegs now`,
        ),
      ),
      sum: 5,
    },
    {
      name: "other windows of one text, all of whose lines were told",
      parts: [0, 4, 2, 1, 3, 2].map((from, i) =>
        call("read", { file: "poem", window: words[i] }, lines.slice(from, from + 4).join("\n")),
      ),
      sum: 2.5,
    },
    {
      name: "a page whose marks are used in vain",
      parts: times(6, (i) => [
        call("snapshot", {}, `${PAGE} button Reserve e${i * 10 + 16} link Terms e${i * 10 + 17}`),
        call(
          "choose",
          { ref: `e${i * 10 + 16}` },
          "Waiting for the button: the element is visible, but it is not enabled",
        ),
      ]).flat(),
      sum: 5.875,
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
    {
      name: "one text sent again to one person in hardly other words",
      parts: times(4, (i) =>
        call(
          "send_email",
          { to: "a@b.example", subject: `Visit ${words[i]}`, body: `${PAGE} ${PAGE} Regards, the ${words[i]} office` },
          "queued for delivery",
        ),
      ),
      sum: 3,
    },
    {
      name: "a long refusal of one command after the other, however each is written",
      parts: ["rm -rf out", "rm -r -f out", "rm -rf ./out", "rm -fr out", "rm -rf out/"].map((command) =>
        call(
          "bash",
          { command },
          "The person at the desk does not want this, stop what you do and wait until you are told how to go on.",
        ),
      ),
      sum: 4,
    },
  ])("$name", ({ parts, sum }) => expect(sumOf(parts)).toBeCloseTo(sum, 5));
});

describe("is nothing where something is learnt, done or waited for", () => {
  it.each([
    {
      name: "something new at the last step",
      parts: [...times(5, (i) => search(i)), call("read", {}, "an article that is new")],
    },
    {
      name: "one text sent to several people",
      parts: times(8, (i) => call("send_email", { to: `p${i}@b.example`, body: PAGE }, "queued for delivery")),
    },
    {
      name: "pages written one after the other",
      parts: times(8, (i) =>
        call(
          "write_file",
          { path: `${words[i]}.md`, content: `${PAGE} ${words[i]}` },
          "The file was written and saved to the disk as asked.",
        ),
      ),
    },
    {
      name: "a board on which every move shows",
      parts: times(8, (i) => call("press", { key: "right" }, `{"x":${i},"y":0}`)),
    },
    {
      name: "a look after each change",
      parts: times(5, (i) => [
        call("edit_file", { path: "a", text: words[i] }, "edited"),
        call("test", {}, PAGE),
      ]).flat(),
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

it("names the steps that add to it", () => {
  const parts = [search(0), search(1), call("read", {}, "an article that is new"), search(2), search(3), search(4)];
  expect(evidenceOf(parts).actions.map(({ at }) => at)).toEqual([3, 4, 5]);
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

  it("a step that tells something new leaves nothing", () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 20 }),
        (parts) => sumOf([...parts, call("open", { door: "north" }, "behind this door nobody has been before")]) === 0,
      ),
    );
  });
});
