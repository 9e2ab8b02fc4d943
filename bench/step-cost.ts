import { parseArgs } from "node:util";
import type { EvaluationContext, Ledger } from "../src/session/session.ts";
import type { Detector } from "../src/engine/detector.ts";
import type { Step } from "../src/step.ts";
import {
  advance,
  advanceBy,
  announces,
  canonicalForm,
  detectors,
  emptyLedger,
  fingerprintOf,
  heardSignature,
  inspect,
  isVolatileArgument,
  jsonIn,
  judgement,
  keyedHash,
  toolKindOf,
  parseJsonText,
  plainText,
  presetNamed,
  settingsFor,
  settingsWith,
  sketch,
  stepKey,
  take,
  viewOf,
  volatileFields,
  lookaheadFor,
  withoutStamps,
} from "./step-cost/product.ts";
import { healthyStep, sorts } from "./step-cost/steps.ts";
import { cpuOf, type Work } from "./step-cost/timing.ts";

/**
 * What the engine's work costs an exchange, in microseconds of CPU: a new step's fingerprint (`take`), the detectors and the
 * decision over a window (`advanceBy`), what to look out for in the answer (`watchFor`), and the parts of each.
 * `--rounds` of which the medians are taken (7); `--only take` for the tables with that in their name.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, only: { type: "string", default: "" } },
});

const policy = presetNamed("default");
if (policy === undefined) throw new Error("there is no default preset");
const sign = keyedHash("a secret of sixteen characters");
const evaluation: EvaluationContext = { sign, policy };
const task = { system: "You are an agent.", opening: ["Find out why the export is late, and mend it."], steps: [] };
const empty = emptyLedger(task, evaluation);

/** More different steps than anything in between may remember, and few enough to stay in the processor's cache. */
const DIFFERENT = 61;

function table(title: string, works: readonly Work[]): void {
  if (!title.includes(values.only)) return;
  const costs = cpuOf(works, Number(values.rounds));
  console.log(`\n| ${title} | µs |\n|---|---|`);
  for (const [k, { name }] of works.entries()) console.log(`| ${name} | ${costs[k]?.toFixed(2)} |`);
}

/** Does the same to each of several things in turn. */
function over<T>(name: string, things: readonly T[], act: (thing: T) => unknown): Work {
  return {
    name,
    run: (i) => {
      const thing = things[i % things.length];
      return thing === undefined ? undefined : act(thing);
    },
  };
}

function ledgerOf(count: number): Ledger {
  return Array.from({ length: count }, (_, i) => healthyStep(i)).reduce(
    (ledger, step) => advance(ledger, step, evaluation),
    empty,
  );
}

function stepsOf(make: (i: number) => Step): readonly Step[] {
  return Array.from({ length: DIFFERENT }, (_, i) => make(i + 1_000));
}

table(
  "take",
  sorts.map(({ name, make }) => over(name, stepsOf(make), (step) => take(empty, step, evaluation))),
);

for (const { name, make } of sorts.filter((sort) => /1 KB|JSON, 2 KB|talk/.test(sort.name)))
  table(`parts of take: ${name}`, partsOf(stepsOf(make)));

const windows = [5, 20, 64];
const takens = Array.from({ length: DIFFERENT }, (_, i) => take(empty, healthyStep(i + 500), evaluation));

table(
  "advanceBy, window of",
  windows.map((count) => {
    const ledger = ledgerOf(count - 1);
    return over(`${count} steps`, takens, (record) => advanceBy(ledger, record, evaluation));
  }),
);

table(
  "watchFor, window of",
  windows.map((count) => {
    const tips = Array.from({ length: 7 }, (_, i) => advance(ledgerOf(count - 1), healthyStep(i + 700), evaluation));
    return over(`${count} steps`, tips, (tip) => lookaheadFor({ tip }, task, evaluation));
  }),
);

table("detectors: window of 20 steps", detectorRows(20));
table("detectors: window of 64 steps", detectorRows(64));

const prints = sorts.map(({ name, make }) => ({ name, steps: stepsOf(make) }));
console.log("\n| a fingerprint's JSON | bytes |\n|---|---|");
for (const { name, steps } of prints) {
  const bytes = steps.map((step) => JSON.stringify(fingerprintOf(step, sign, {}, new Set())).length);
  console.log(`| ${name} | ${Math.round(bytes.reduce((a, b) => a + b, 0) / bytes.length)} |`);
}
for (const count of windows) console.log(`| a ledger of ${count} steps | ${JSON.stringify(ledgerOf(count)).length} |`);

/** On the texts that a fingerprint of these steps passes to each; a step without calls has none of some. */
function partsOf(steps: readonly Step[]): readonly Work[] {
  const calls = steps.flatMap((step) => step.calls);
  const outcomes = calls.flatMap(({ outcome }) => outcome ?? []);
  const args = calls.map((call) => ({ tool: call.tool, value: parseJsonText(call.args) }));
  const signed = steps.map((step) => {
    const texts: string[] = [];
    fingerprintOf(step, (text) => sign(text.slice(0, texts.push(text) + text.length)), {}, new Set());
    return texts;
  });
  const forms = outcomes.map(({ text }) => formOf(text));
  const actions = args.map(({ value }) => canonicalForm(value, (key, field) => !isVolatileArgument(key, field)) ?? "");
  return [
    over("whole fingerprint", steps, (step) => fingerprintOf(step, sign, {}, new Set())),
    over(`signatures (${signed[0]?.length})`, signed, (texts) => texts.map(sign)),
    over("step key", steps, (step) => stepKey(step, sign)),
    over("arguments: parse", calls, (call) => parseJsonText(call.args)),
    over("arguments: kind", args, ({ tool, value }) => toolKindOf(tool, value)),
    over("arguments: canonical form", args, ({ value }) =>
      canonicalForm(value, (key, field) => !isVolatileArgument(key, field)),
    ),
    over("arguments: sketch", actions, sketch),
    over("outcome: canonical form", outcomes, ({ text }) => formOf(text)),
    over("outcome: sketch", forms, sketch),
    over("outcome: judgement", outcomes, (outcome) => judgement(outcome, jsonIn(outcome.text))),
    over("said: plain text", steps, (step) => plainText(step.text)),
    over("said: announcement", steps, (step) => announces(step.text)),
    over("heard: signatures", steps, (step) => step.heard.map((text) => heardSignature(text, sign))),
  ];
}

function formOf(text: string): string {
  const value = /^[{[]/.test(text) ? parseJsonText(text) : undefined;
  const isVolatile = volatileFields();
  const form = canonicalForm(value, (key, field) => !isVolatile(key, field), withoutStamps);
  return value === undefined || form === undefined ? withoutStamps(text) : form;
}

function detectorRows(count: number): readonly Work[] {
  const { window, total, requestedRepeats } = ledgerOf(count - 1);
  const situations = takens.map(({ fingerprint }) => ({
    window: [...window, fingerprint],
    total: total + 1,
    requestedRepeats,
    elsewhere: 0,
  }));
  const settings = settingsWith({});
  return [
    over("all, with the view", situations, (situation) => inspect(situation)),
    over("the view", situations, viewOf),
    ...(detectors as readonly Detector[]).map((detector) => {
      const own = settingsFor(detector.name, settings);
      return over(detector.name, situations.map(viewOf), (view) => detector.detect(view, own));
    }),
  ];
}
