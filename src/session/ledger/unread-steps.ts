import { heardSignature, isNews, stepKey, WINDOW, wishIn } from "../../engine/engine.ts";
import type { Mutable } from "../../mutable.ts";
import type { Step } from "../../step.ts";
import { languageSpoken } from "./advance.ts";
import {
  type EvaluationContext,
  type Ledger,
  MAX_HEARD,
  MOST_READABLE,
  newestReadable,
  prefixAfter,
  speechCost,
  textCost,
} from "./ledger.ts";

/** Number of newest steps that are always read. */
const LEAST_READ = 8;
/** Steps beyond the window are left out by so many at once: then what is read begins at the same step for as many requests. */
const BLOCK = 32;

/**
 * First steps that are counted alone: they lie before the window, or there is more in the others than can be read at once.
 * @returns `isPartial`: some of them lie within the window
 */
export function unread(steps: readonly Step[]) {
  const beyond = Math.max(0, Math.floor((steps.length - WINDOW) / BLOCK)) * BLOCK;
  let cost = 0;
  for (let at = steps.length - 1; at >= beyond; at--) {
    cost += costOf(steps[at]);
    if (cost > MOST_READABLE && steps.length - at > LEAST_READ)
      return { count: at + 1, isPartial: steps.length - at <= WINDOW };
  }
  return { count: beyond, isPartial: false };
}

function costOf({ calls, text, heard } = NO_STEP): number {
  let cost = 1 + calls.length + speechCost(text) + costOfHeard(heard);
  for (const { tool, args, outcome } of calls) cost += textCost(tool + args) + textCost(outcome?.text ?? "");
  return cost;
}

/** A ledger with steps that no window holds any more: hashed for what they are, and read for what users asked in them. */
export function countedOnly(ledger: Ledger, steps: readonly Step[], evaluation: EvaluationContext): Ledger {
  const { sign } = evaluation;
  const { total, carried, root = stepKey(steps[0] ?? NO_STEP, sign) } = ledger;
  const { length } = steps;
  const counted: Mutable<Ledger> = { ...ledger, total: total + length, carried: carried + length, root, window: [] };
  for (const step of steps) counted.prefix = prefixAfter(counted.prefix, step, sign);
  const messages = steps.map(({ heard }) => heard).filter((heard) => heard.length > 0);
  hear(counted, newestReadable(messages, costOfHeard), evaluation);
  return counted;
}

const NO_STEP: Step = { calls: [], text: "", heard: [] };

function costOfHeard(heard: readonly string[]): number {
  return heard.reduce((cost, text) => cost + speechCost(text), 0);
}

/** Takes in what users said after several steps; only the newest message with news counts. */
function hear(ledger: Mutable<Ledger>, messages: readonly (readonly string[])[], { sign, policy }: EvaluationContext) {
  let news: readonly string[] | undefined;
  for (const heard of messages) {
    const signatures = heard.map((text) => heardSignature(text, sign));
    if (heard.some((text, i) => isNews(text) && !ledger.heard.includes(signatures[i] ?? ""))) news = heard;
    ledger.heard = [...ledger.heard, ...signatures].slice(-MAX_HEARD);
  }
  if (news === undefined) return;
  const { requestedRepeats, userItems } = wishIn(news.join("\n"), ledger.standing);
  ledger.language = languageSpoken(news, policy) ?? ledger.language;
  ledger.requestedRepeats = requestedRepeats;
  if (userItems === "") delete ledger.userItems;
  else ledger.userItems = userItems;
}
