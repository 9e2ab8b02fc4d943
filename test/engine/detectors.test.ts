import { describe, expect, it } from "vitest";
import type { Detector } from "../../src/engine/detector.ts";
import { detectors } from "../../src/engine/detectors.ts";
import { detectorNames, grades, standardDetectorSettings } from "../../src/engine/engine.ts";
import { ladderNames } from "../../src/policy/schema.ts";
import { codeOf, readSources, type Source } from "../support/checks/sources.ts";

const records: readonly Detector[] = detectors;

const mayName = /^(engine\/detectors\/|policy\/presets[./]|policy\/wording\/|admin\/api\/)/;
/** The same word for something else: a policy's field. */
const namesakes = ["policy/budget.ts: budget", "policy/policy-file.ts: budget", "policy/schema.ts: budget"];

/** As a name in code: alone between quotes, or in front of a grade or an identity. */
function namesIn({ text }: Source): readonly string[] {
  return detectorNames.filter((name) => new RegExp(`["'\`]${name}["'\`:]`).test(codeOf(text)));
}

it("nothing but its own file, presets and wording tests for a detector's name", () => {
  const found = readSources()
    .filter(({ file }) => !mayName.test(file))
    .flatMap((source) => namesIn(source).map((name) => `${source.file}: ${name}`))
    .filter((one) => !namesakes.includes(one));
  expect(found).toEqual([]);
});

describe.each(records)("$name", ({ name, grades: own, settings }) => {
  it("names itself and its grades to those who write ladders", () => {
    expect(grades).toHaveProperty([name], own);
    expect(ladderNames).toEqual(expect.arrayContaining([name, ...Object.keys(own).map((grade) => `${name}:${grade}`)]));
  });

  it("says what each of its settings is where nothing is chosen", () => {
    const standard = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.standard]));
    expect(Object.entries(standardDetectorSettings).find(([other]) => other === name)?.[1] ?? {}).toEqual(standard);
  });
});
