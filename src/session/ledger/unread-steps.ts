import { heardSignature, isNews, stepKey, stepWork, WINDOW, wishIn } from "../../engine/engine.ts";
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
} from "./ledger.ts";

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
    cost += stepWork(steps[at] ?? NO_STEP);
    // The newest is read in any case.
    if (cost > MOST_READABLE && at < steps.length - 1) return { count: at + 1, isPartial: steps.length - at <= WINDOW };
  }
  return { count: beyond, isPartial: false };
}

/** A ledger with steps that no window holds any more: hashed for what they are, and read for what users asked in them. */
export function countedOnly(ledger: Ledger, steps: readonly Step[], evaluation: EvaluationContext): Ledger {
  const { sign } = evaluation;
  const { total, carried, root = stepKey(steps[0] ?? NO_STEP, sign) } = ledger;
  const { length } = steps;
  const counted: Mutable<Ledger> = { ...ledger, total: total + length, carried: carried + length, root, window: [] };
  for (const step of steps) counted.prefix = prefixAfter(counted.prefix, step, sign);
  const messages = steps.map(({ heard }) => heard).filter((heard) => heard.length > 0);
  hear(
    counted,
    newestReadable(messages, (heard) => heard, evaluation.work),
    evaluation,
  );
  return counted;
}

const NO_STEP: Step = { calls: [], text: "", heard: [] };

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
