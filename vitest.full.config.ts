import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { measuring, node, slow } from "./vitest.config.ts";

const tests = fileURLToPath(new URL("test", import.meta.url));
const properties = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && readFileSync(`${tests}/${file}`, "utf8").includes('"fast-check"'))
  .map((file) => `test/${file}`);

const { exclude: _, ...test } = node.test;

/** What `npm test` leaves out because it takes long. */
export default defineConfig({
  test: {
    projects: [
      { ...node, test: { ...test, name: "slow", include: slow } },
      {
        ...node,
        // A process for each file: neither the heap nor the compiled code of others is in its figures.
        test: { ...test, name: "measuring", include: measuring, isolate: true, sequence: { groupOrder: 1 } },
      },
      {
        ...node,
        test: { ...test, name: "properties", include: properties, testTimeout: 600_000, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
