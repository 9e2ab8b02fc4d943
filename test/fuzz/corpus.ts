import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/* Inputs that were the first to reach a place in the code, or that once broke a reader: a JSON string a line, a file a target. */

const fileOf = (target: string) => join(import.meta.dirname, "corpus", `${target.replace(/\W+/g, "-")}.jsonl`);

/** Empty for a target that has none yet. */
export function keptInputs(target: string): readonly string[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => String(JSON.parse(line)));
}

export function keepInputs(target: string, inputs: readonly string[]): void {
  const file = fileOf(target);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, inputs.map((input) => `${JSON.stringify(input)}\n`).join(""));
}
