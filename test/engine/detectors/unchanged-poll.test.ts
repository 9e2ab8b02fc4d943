import { describe, expect, it } from "vitest";
import { countsOf } from "../../support/builders/detection.ts";
import { call, heard, type Part, times } from "../../support/builders/steps.ts";

const counts = (parts: readonly Part[]) => countsOf("unchanged-poll", parts);
const status = (text = "running") => call("job_status", { id: 7 }, text);
const sleep = () => call("sleep", { seconds: 30 }, "");

describe("counts looks at what does not change", () => {
  it.each([
    { name: "sleeping between is part of waiting", parts: times(5, () => [sleep(), status()]).flat(), expected: ["5"] },
    {
      name: "whatever is looked at after each sleep",
      parts: times(5, () => [sleep(), call("get_price", { sku: "m" }, "It is 10 today.")]).flat(),
      expected: ["5"],
    },
    {
      name: "a shell that sleeps before it looks",
      parts: times(5, () => call("bash", { command: "sleep 60; tail -n 3 train.log" }, "epoch 3 loss 0.4")),
      expected: ["5"],
    },
    {
      name: "but no failure that is tried again after each sleep",
      parts: times(5, () => [sleep(), call("get", {}, "Error: no such key")]).flat(),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});

describe("starts afresh", () => {
  it.each([
    { name: "when the answer moves", parts: times(9, (i) => status(`running, ${i * 10} %`)), expected: [] },
    {
      name: "after a word of the user",
      parts: [...times(3, () => status()), heard("Check again, please, I restarted it."), status()],
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(counts(parts)).toEqual(expected));
});
