import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { askAll } from "./loopbench/ask-all.ts";
import { type Conversation, readSet } from "./loopbench/conversations.ts";
import { knownDetectors } from "./loopbench/known-detectors.ts";
import { openDetector } from "./loopbench/open-detector.ts";
import { failuresOf, loopbenchReport, mistakesOf, type Row } from "./loopbench/report.ts";
import { writeUp } from "./report/write-up.ts";

/** Scores loop detectors on labelled conversations; bench/loopbench/README.md has the formats, bench/README.md the flags. */
const { values } = parseArgs({
  options: {
    detector: { type: "string" },
    name: { type: "string" },
    data: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "1" },
    timeout: { type: "string", default: "10" },
    "max-bytes": { type: "string", default: "65536" },
    write: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const folder = "bench/loopbench";
const own = await setsIn(join(folder, "data"));
const further = await setsFrom(values.data);
const conversations = [...own, ...further].filter(({ set }) => set.includes(values.only));
if (conversations.length === 0) throw new Error(`No set has ${JSON.stringify(values.only)} in its name.`);

const isWhole = further.length === 0 && values.only === "";
if (values.write && !isWhole)
  throw new Error("--write is for all data of the repository: leave out --data and --only.");
process.once("SIGINT", () => process.exit(130));
const asked = values.detector === undefined ? undefined : await rowOf(values.detector);

const known = knownDetectors().map((one) => ({ ...one, judged: conversations.map(one.judge) }));
const others = asked === undefined ? [] : [asked];
const rows: readonly Row[] = [...known, ...others];
const detailed: readonly Row[] = [...known.filter(({ restated }) => !restated), ...others];

if (values.write)
  writeUp("bench/loopbench/RESULTS.md", "loopbench", loopbenchReport(rows, detailed, { families: false }));
if (values.json) console.log(JSON.stringify(rows.map(withoutTexts)));
else console.log(loopbenchReport(rows, detailed, { families: values.verbose }));
const last = rows.at(-1);
if (values.verbose && last !== undefined) console.log(`\n${last.name}:\n${mistakesOf(last)}`);
const failures = asked === undefined ? "" : failuresOf(asked);
if (failures !== "") {
  console.error(`\n${asked?.name} failed:\n${failures}`);
  process.exitCode = 1;
}

async function rowOf(address: string): Promise<Row> {
  const limits = { timeoutMs: positive("timeout") * 1000, maxBytes: positive("max-bytes") };
  const judged = await askAll(conversations, () => openDetector(address, limits), positive("jobs"));
  return { name: values.name ?? address, judged };
}

function positive(name: "timeout" | "max-bytes" | "jobs"): number {
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
  return value;
}

async function setsIn(path: string): Promise<readonly Conversation[]> {
  const files = (await readdir(path)).filter((file) => file.endsWith(".jsonl")).sort();
  return setsFrom(files.map((file) => join(path, file)));
}

async function setsFrom(files: readonly string[]): Promise<readonly Conversation[]> {
  return (await Promise.all(files.map(readSet))).flat();
}

/** With scores left to whoever reads it: verdicts by set and id. */
function withoutTexts({ name, judged }: Row) {
  return {
    name,
    judged: judged.map(({ of: { id, set, family, kind, language, loops, counts, start }, flags, failure }) => ({
      ...{ id, set, family, kind, language, loops, counts, start, flags },
      ...(failure && { failure }),
    })),
  };
}
