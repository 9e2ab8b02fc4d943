import { readdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { defaultPolicy } from "../test/support/builders/detection.ts";
import { compared, type Compared, type LiveWay } from "./live/compare.ts";
import { liveFormats } from "./live/formats.ts";
import { liveReport } from "./live/report.ts";
import { readSet } from "./loopbench/conversations.ts";
import { readSessions } from "./loopbench/sessions.ts";
import { writeUp } from "./report/write-up.ts";

/**
 * Plays all labelled conversations through the guard, request by request, in each wire format, and lists what is done otherwise
 * than replay says. bench/README.md has the flags.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    format: { type: "string", default: "" },
    limit: { type: "string", default: "2000" },
    write: { type: "boolean", default: false },
  },
});
const limit = Number(values.limit);
if (!(limit > 0)) throw new Error("--limit must be a number above 0.");

const policy = defaultPolicy();
const ways = liveFormats
  .filter(({ name }) => name.includes(values.format))
  .flatMap((format): LiveWay[] => [false, true].map((streams) => ({ format, streams })));
const all: Compared[] = [];
const folder = "bench/loopbench/data";
const files = (await readdir(folder)).filter((file) => file.endsWith(".jsonl")).sort();
const sets = [...(await Promise.all(files.map((file) => readSet(`${folder}/${file}`)))), readSessions()];
for (const cases of sets.filter(([first]) => first?.set.includes(values.only))) {
  for (const way of ways) for (const one of cases.slice(0, limit)) all.push(await compared(one, way, policy));
}

const report = liveReport(all);
console.log(report);
if (values.write) writeUp("bench/RESULTS.md", "live", report);
const broken = all.flatMap(({ of, way, live }) => live.broken.map((why) => `${of.id}, ${way.format.name}: ${why}`));
if (broken.length > 0) {
  console.error(`\n${broken.length} exchanges went unwatched or broke off:\n${broken.slice(0, 20).join("\n")}`);
  process.exitCode = 1;
}
