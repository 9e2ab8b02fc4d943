import { describe, expect, it } from "vitest";
import { countsOf } from "../../support/builders/detection.ts";
import { call, type Part, times } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("no-progress", parts);
const PAGE =
  "Kestrel Optics makes lenses for field microscopes and telescopes, sells through regional dealers, offers repair, calibration and training.";
const words = ["founded", "history", "origin", "start", "established", "year", "beginning"];
const search = (i: number, text = PAGE) => call("search", { q: `kestrel ${words[i]}` }, text);

describe("counts different calls with the same informative answer", () => {
  it.each([
    { name: "five searches", parts: times(5, (i) => search(i)), expected: ["5"] },
    {
      name: "errors that no other try can mend",
      parts: times(3, (i) => call("get", { id: i }, `Error: 403 Forbidden for ${i}`)),
      expected: ["3 failing"],
    },
    {
      name: "unknown tools of other names, one after the other",
      parts: times(3, (i) => call(`serach_${i}`, { q: "x" }, `Error: unknown tool serach_${i}`)),
      expected: ["3 failing"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("is progress, or as good as that", () => {
  const order = (i: number) =>
    `Order ${i}: status shipped, carrier Northern Freight, warehouse west, payment by card, ${i + 2} items, insured, signature required on delivery.`;
  it.each([
    {
      name: "a walk over numbered things that look alike",
      parts: times(9, (i) => call("get_order", { id: i }, order(i))),
      expected: [],
    },
    {
      name: "changes that land",
      parts: times(8, (i) => call("add_item", { id: i }, "The item is in the cart of the customer now")),
      expected: [],
    },
    {
      name: "an answer that was another in between",
      parts: [search(0), search(1), search(2, "Founded in 1901 by A. Kestrel."), search(3), search(4)],
      expected: ["3"],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});
