import { describe, expect, it } from "vitest";
import { type Observation, type Step, watchRun } from "../src/engine-api.ts";
import { importsOf, readSources } from "./support/checks/sources.ts";
import { call, times } from "./support/builders/steps.ts";

const search = (q = "weather in Paris", found = "no results"): Step => call("search", { q }, found);
const rungs = (observations: readonly Observation[]) => observations.map(({ intervention }) => intervention?.rung);

describe("watchRun", () => {
  it("says when to nudge, to force an end, and to end the run, as the default policy has it", () => {
    const watch = watchRun();
    const observed = times(7, () => watch.observe(search()));
    expect(rungs(observed)).toEqual([
      undefined,
      undefined,
      "nudge",
      undefined,
      "force-done",
      "short-circuit",
      "short-circuit",
    ]);
    expect(observed[2]?.intervention).toMatchObject({ detector: "repeated-call", count: 3 });
  });

  it("goes on from what was saved as if it had never stopped", () => {
    const secret = "a secret of this test";
    const whole = watchRun({ secret });
    const expected = rungs(times(7, () => whole.observe(search())));
    let saved: string | undefined;
    const observed = times(7, () => {
      const watch = watchRun({ secret, ...(saved === undefined ? {} : { saved }) });
      const observation = watch.observe(search());
      saved = watch.save();
      return observation;
    });
    expect(rungs(observed)).toEqual(expected);
  });

  it("saves no text of the run", () => {
    const watch = watchRun({ task: "Find Ana's address." });
    times(4, () => watch.observe({ ...search(), text: "I will look for Ana.", heard: ["Hurry, Ana waits."] }));
    expect(watch.save()).not.toMatch(/Ana|Paris|no results/);
  });

  it.each([{ saved: "" }, { saved: "{}" }, { saved: '{"schema":0}' }, { saved: "no JSON" }])(
    "begins anew where $saved is all that was saved",
    ({ saved }) => {
      const watch = watchRun({ saved });
      expect(rungs(times(3, () => watch.observe(search()))).at(-1)).toBe("nudge");
    },
  );

  it.each([
    { step: undefined, tells: /step\.text must be a text/ },
    { step: { text: "" }, tells: /step\.calls must be a list/ },
    { step: { text: "", calls: [] }, tells: /step\.heard must be a list/ },
  ])("names the field that a step lacks: $tells", ({ step, tells }) => {
    expect(() => watchRun().observe(step as never)).toThrow(tells);
  });
});

it("unloop/engine needs no package, so that it loads on any platform that has node:crypto", () => {
  const sources = new Map(readSources().map((source) => [source.file, source]));
  const reached = new Set(["engine-api.ts"]);
  for (const file of reached) {
    const source = sources.get(file);
    for (const target of source === undefined ? [] : importsOf(source)) reached.add(target);
  }
  expect([...reached].filter((target) => !sources.has(target))).toEqual(["node:"]);
});
