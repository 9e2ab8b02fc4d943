import { bySource, loadCases, loadSessions } from "./detection/data.ts";
import { type Measured, measure, references } from "./detection/score.ts";
import { confusions, table } from "./detection/table.ts";

/**
 * How often the default policy is right on labelled conversations, beside simple rules in the same run.
 * `--json`: one JSON object instead of the table; `--verbose`: the conversations it gets wrong.
 */
const data = process.env.UNLOOP_DATA ?? "../shared";
const cases = await loadCases(data);
const sessions = await loadSessions(data);

const rows: Measured[] = references.map((rule) => measure(rule, cases, sessions));
if (process.argv.includes("--json")) {
  console.log(JSON.stringify({ data: bySource(cases, sessions), rows }));
} else {
  console.log(table(rows, bySource(cases, sessions)));
  if (process.argv.includes("--verbose")) console.log(confusions(rows.at(-1)));
}
