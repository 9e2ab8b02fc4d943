import { bySource, loadCases, loadSessions, loadThreads } from "./detection/data.ts";
import { writeInto } from "./detection/document.ts";
import { foldsOf } from "./detection/folds.ts";
import { confusions, type Findings, report } from "./detection/report.ts";
import { guard, references, type Rule, standardPolicy } from "./detection/rules.ts";
import { type Measured, measured } from "./detection/score.ts";
import { type Variant, variantsOf } from "./detection/sweep.ts";
import { verdictOf } from "./detection/verdict.ts";

/**
 * How often the default policy is right on labelled conversations, beside simple rules in the same run.
 * `--sweep`: the same with other counts, too; `--write`: all of it into docs/accuracy.md; `--json`: one JSON object
 * instead of tables; `--verbose`: the conversations that are judged wrongly, by their ids.
 */
const asked = (flag: string): boolean => process.argv.includes(flag);

const data = process.env.UNLOOP_DATA ?? "../shared";
const cases = await loadCases(data);
const threads = await loadThreads(data);
const sessions = await loadSessions(data);
const standard = standardPolicy();

const measure = (rule: Rule): Measured =>
  measured(rule.name, {
    cases: cases.map((one) => verdictOf(rule, one)),
    threads: threads?.map((one) => verdictOf(rule, one)),
    sessions: sessions?.map((one) => verdictOf(rule, one)),
  });
const rows = [...references, guard("unloop default", standard)].map(measure);
const variants = asked("--sweep") || asked("--write") ? variantsOf(standard, cases, sessions) : undefined;
const folds = variants && foldsOf(variants);
const findings: Findings = {
  source: bySource(cases, threads, sessions),
  rows,
  ...(variants === undefined ? {} : { variants }),
  ...(folds === undefined ? {} : { folds }),
};

if (asked("--write")) await writeInto("docs/accuracy.md", report(findings));
if (asked("--json")) console.log(JSON.stringify({ ...findings, variants: variants?.map(withoutVerdicts) }));
else console.log(report(findings));
if (asked("--verbose")) console.log(`\n${confusions(findings)}`);

function withoutVerdicts({ verdicts: _, ...variant }: Variant): Omit<Variant, "verdicts"> {
  return variant;
}
