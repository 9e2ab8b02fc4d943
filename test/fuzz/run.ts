import fc from "fast-check";
import { targets } from "./targets.ts";

/* Fuzzes every parser in turn: `npm run fuzz`, or with seconds in all and a part of a name: `npm run fuzz -- 600 messages`. */

const [seconds = "60", part = ""] = process.argv.slice(2);
const chosen = targets.filter(({ name }) => name.includes(part));
const each = (Number(seconds) * 1000) / chosen.length;
if (!(each > 0) || chosen.length === 0) {
  console.error(
    `usage: npm run fuzz -- [seconds] [part of a name]; the names: ${targets.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}

for (const { name, property } of chosen) {
  const run = fc.check(property, { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: each });
  console.log(`${name}: ${run.numRuns} inputs, ${run.failed ? "FAILED" : "sound"}`);
  if (!run.failed) continue;
  console.error(fc.defaultReportMessage(run));
  process.exitCode = 1;
}
