import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Policy, policyFrom } from "../src/policy/policy.ts";
import { type Labelled, loadSessions } from "./detection/data.ts";
import { writeInto } from "./detection/document.ts";
import { type Answers, type PlayedWithJudge, playWithJudge } from "./judge/play.ts";
import { judgeReport, type JudgedSet } from "./judge/report.ts";
import { readSet } from "./loopbench/conversations.ts";

/**
 * What a judge adds to the rules, without a model at hand: writes the questions, and computes the table from their answers.
 * bench/README.md has the flags.
 */
const { values } = parseArgs({
  options: {
    prompts: { type: "string" },
    answers: { type: "string", multiple: true, default: [] },
    healthy: { type: "string", default: "300" },
    write: { type: "boolean", default: false },
  },
});
const wanted = Number(values.healthy);
if (!Number.isSafeInteger(wanted) || wanted < 0) throw new Error("--healthy must be a whole number.");

const rules = policyFrom({ extends: "default" });
const judging = policyFrom({ extends: "default", judge: { asks: "doubt" } });
const answers = await answersIn(values.answers);

/** Conversations that rules had not seen when each set was written. */
const WRITTEN = ["fresh", "g", "h", "dialogues"];

const written = await Promise.all(
  WRITTEN.map(async (name) => played(name, await readSet(`bench/loopbench/data/${name}.jsonl`))),
);
const sets = [...written, ...(await recorded())];
if (values.prompts !== undefined) await writePrompts(values.prompts);
const report = judgeReport(sets);
console.log(report);
if (values.write) await writeInto("docs/accuracy.md", report, "judge");

function played(name: string, all: readonly Labelled[]): JudgedSet {
  const play = (one: Labelled, policy: Policy, said: Answers): PlayedWithJudge =>
    playWithJudge(one, `${name}/${one.id}`, policy, said);
  return {
    name,
    alone: all.map((one) => play(one, rules, new Map())),
    withJudge: all.map((one) => play(one, judging, answers)),
  };
}

/** Healthy runs, evenly out of those that were drawn at random; none without `UNLOOP_DATA`. */
async function recorded(): Promise<readonly JudgedSet[]> {
  const data = process.env.UNLOOP_DATA ?? "../shared";
  const sessions = existsSync(data) ? ((await loadSessions(data)) ?? []) : [];
  const healthy = sessions.filter(({ loops, counts }) => counts && !loops);
  const some = healthy.filter(
    (_, i) => Math.floor((i * wanted) / healthy.length) !== Math.floor(((i - 1) * wanted) / healthy.length),
  );
  return some.length === 0 ? [] : [played("recorded", some)];
}

/** A file for each set, a question a line; those that are answered already are left out. */
async function writePrompts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, withJudge } of sets) {
    const open = withJudge.flatMap(({ prompts }) => prompts).filter(({ looping }) => looping === undefined);
    const lines = open.map(({ id, prompt }) => `${JSON.stringify({ id, prompt })}\n`);
    await writeFile(join(folder, `${name}.jsonl`), lines.join(""));
    console.error(`${open.length} open questions: ${join(folder, `${name}.jsonl`)}`);
  }
}

/** `{"id", "looping"}` a line. @throws Error with the line that is something else */
async function answersIn(files: readonly string[]): Promise<Answers> {
  const found = new Map<string, boolean>();
  for (const file of files)
    for (const line of (await readFile(file, "utf8")).split("\n").filter((each) => each.trim() !== "")) {
      const { id, looping } = JSON.parse(line);
      if (typeof id !== "string" || typeof looping !== "boolean") throw new Error(`${file}: no answer: ${line}`);
      found.set(id, looping);
    }
  return found;
}
