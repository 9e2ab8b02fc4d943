import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { targets } from "./targets.ts";

/** Inputs that were the first to reach a place in the code, or that once broke a reader: a JSON string a line, a file a target. */
function keptInputs(target: string): readonly string[] {
  const file = join(import.meta.dirname, "corpus", `${target.replace(/\W+/g, "-")}.jsonl`);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => String(JSON.parse(line)));
}

/* With a seed `npm run test:properties` tries 2,000 inputs of each row. */
it.each(targets)(
  "$name: whatever comes, it is read without a throw and within its bound",
  ({ name, inputs, check }) => {
    for (const input of keptInputs(name)) check(input);
    fc.assert(fc.property(inputs, check));
  },
);

it.each(targets)("$name: what is damaged is understood while it is whole", ({ whole }) => {
  expect(whole()).not.toContain(undefined);
});
