import { bySource, loadCases, loadSessions, loadThreads } from "./detection/data.ts";
import { writeInto } from "./detection/document.ts";
import { confusions, type Findings, report } from "./detection/report.ts";
import { guard, references, type Rule, standardPolicy } from "./detection/rules.ts";
import { type Measured, measured } from "./detection/score.ts";
import { verdictOf } from "./detection/verdict.ts";

/**
 * How often the default policy is right on labelled conversations, beside simple rules in the same run.
 * `--write`: into bench/RESULTS.md; `--json`: one JSON object instead of tables; `--verbose`: the conversations that are judged wrongly, by their ids.
 */
const asked = (flag: string): boolean => process.argv.includes(flag);

const data = process.env.UNLOOP_DATA ?? "../shared";
const cases = await loadCases(data);
const threads = await loadThreads(data);
const sessions = await loadSessions(data);

const measure = (rule: Rule): Measured =>
  measured(rule.name, {
    cases: cases.map((one) => verdictOf(rule, one)),
    threads: threads?.map((one) => verdictOf(rule, one)),
    sessions: sessions?.map((one) => verdictOf(rule, one)),
  });
const rows = [...references, guard("unloop default", standardPolicy())].map(measure);
const findings: Findings = { source: bySource(cases, threads, sessions), rows };

if (asked("--write")) await writeInto("bench/RESULTS.md", report(findings));
if (asked("--json")) console.log(JSON.stringify(findings));
else console.log(report(findings));
if (asked("--verbose")) console.log(`\n${confusions(findings)}`);
