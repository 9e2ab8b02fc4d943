import { askedRepeats, heardSignature, isNews, listedIn, stepKey, WINDOW } from "../../engine/engine.ts";
import type { Mutable } from "../../mutable.ts";
import type { Step } from "../../step.ts";
import { languageSpoken } from "./advance.ts";
import { type EvaluationContext, type Ledger, MAX_HEARD } from "./ledger.ts";
import { prefixAfter } from "./shown.ts";

/** What is read of steps at once, in steps and calls; longer texts count as several. */
const MAX_READ = 1_024;
const CHARACTERS = 2_048;
/** So many of the newest are read in any case. */
const LEAST_READ = 8;
/** Steps beyond the window are left out by so many at once: then what is read begins at the same step for as many requests. */
const BLOCK = 32;

/** How many of the first steps are counted alone: they lie before the window, or there is more in them than can be read at once. */
export function unread(steps: readonly Step[]): number {
  const beyond = Math.max(0, Math.floor((steps.length - WINDOW) / BLOCK)) * BLOCK;
  let weight = 0;
  for (let at = steps.length - 1; at >= beyond; at--) {
    weight += weightOf(steps[at]);
    if (weight > MAX_READ && steps.length - at > LEAST_READ) return at + 1;
  }
  return beyond;
}

function weightOf(step: Step | undefined): number {
  if (step === undefined) return 0;
  const { calls, text, heard } = step;
  let characters = text.length;
  for (const one of heard) characters += one.length;
  for (const { args, outcome } of calls) characters += args.length + (outcome?.text.length ?? 0);
  return 1 + calls.length + characters / CHARACTERS;
}

/** A ledger with steps that no window holds any more: hashed for what they are, and read for what users asked in them. */
export function countedOnly(ledger: Ledger, steps: readonly Step[], evaluation: EvaluationContext): Ledger {
  const { sign } = evaluation;
  const { total, carried, root = stepKey(steps[0] ?? NO_STEP, sign) } = ledger;
  const counted: Mutable<Ledger> = {
    ...ledger,
    total: total + steps.length,
    carried: carried + steps.length,
    root,
    window: [],
  };
  for (const step of steps) {
    counted.prefix = prefixAfter(counted.prefix, step, sign);
    if (step.heard.length > 0) hear(counted, step.heard, evaluation);
  }
  return counted;
}

const NO_STEP: Step = { calls: [], text: "", heard: [] };

function hear(ledger: Mutable<Ledger>, heard: readonly string[], { sign, policy }: EvaluationContext): void {
  const signatures = heard.map((text) => heardSignature(text, sign));
  const isNew = heard.some((text, i) => isNews(text) && !ledger.heard.includes(signatures[i] ?? ""));
  ledger.heard = [...ledger.heard, ...signatures].slice(-MAX_HEARD);
  if (!isNew) return;
  const said = heard.join("\n");
  ledger.language = languageSpoken(heard, policy) ?? ledger.language;
  ledger.asked = askedRepeats(said);
  const listed = listedIn(said);
  if (listed === "") delete ledger.listed;
  else ledger.listed = listed;
}
