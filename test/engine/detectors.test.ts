import { expect, it } from "vitest";
import { detectorNames } from "../../src/engine/engine.ts";
import { codeOf, readSources, type Source } from "../support/checks/sources.ts";

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
