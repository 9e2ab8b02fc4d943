import { parseArgs } from "node:util";
import { readSet } from "./loopbench/conversations.ts";
import { knownDetectors } from "./loopbench/known-detectors.ts";
import { loopbenchReport, mistakesOf, type Row } from "./loopbench/report.ts";
import { readSessions } from "./loopbench/sessions.ts";
import { writeUp } from "./report/write-up.ts";

/**
 * How often the default policy is right on recorded runs of real agents and on two sets that it was mended on, beside the
 * restated rules of other agents. `--write`: into bench/RESULTS.md; `--verbose`: what it judges otherwise than the labels.
 */
const { values } = parseArgs({
  options: { write: { type: "boolean", default: false }, verbose: { type: "boolean", default: false } },
});

const sets = ["cases", "threads"].map((set) => readSet(`bench/loopbench/data/${set}.jsonl`));
const conversations = [...(await Promise.all(sets)).flat(), ...readSessions()];
const rows = knownDetectors().map(({ name, judge }): Row => ({ name, judged: conversations.map(judge) }));
const guard = rows.slice(-1);

const report = loopbenchReport(rows, guard, { families: values.verbose });
if (values.write) writeUp("bench/RESULTS.md", "detection", report);
else console.log(report);
if (values.verbose) console.log(`\n${guard.map(mistakesOf).join("\n")}`);
