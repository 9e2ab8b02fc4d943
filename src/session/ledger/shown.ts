import { stepKey, stepText } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import { type Identity, randomIds } from "../identity/identify.ts";
import type { Ledger } from "./ledger.ts";

/** Hash of a thread's steps so far, in order, with what came back and what was heard: the hash before it, and one step more. */
export function prefixAfter(before: string, step: Step, sign: Sign): string {
  let texts = `${stepText(step)}\u0000${step.text}`;
  for (const { outcome } of step.calls) texts += `\u0000${outcome?.text ?? ""}`;
  texts += "\u0000\u0001";
  for (const text of step.heard) texts += `\u0000${text}`;
  return sign(`prefix\u0000${before}\u0000${texts}`);
}

/**
 * The ledger, if the request proves that it belongs to the same run. A session that is only derived is named by its beginning,
 * and others may begin alike: its ledger counts where the request carries all the steps that it has counted, or a call of an
 * id that no other run has. Undefined: the history alone is judged.
 */
export function shownLedger(
  ledger: Ledger | undefined,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Ledger | undefined {
  if (ledger === undefined || identity.isGiven || identity.isProven === true) return ledger;
  return carriesAll(ledger, conversation, sign) || sharesCall(ledger, conversation, sign) ? ledger : undefined;
}

/**
 * No other run sends this very history: its session was given, or it has a call of an id that no other run has. Not before the
 * first step, when there is nothing that could fail to grow.
 */
export function isOfOneRun({ isGiven, isProven }: Identity, steps: readonly Step[]): boolean {
  return steps.length > 0 && (isGiven || isProven === true || steps.some((step) => randomIds(step) !== undefined));
}

function carriesAll({ total, carried, prefix }: Ledger, { steps }: Conversation, sign: Sign): boolean {
  if (carried !== total || steps.length < total) return false;
  return steps.slice(0, total).reduce((before, step) => prefixAfter(before, step, sign), "") === prefix;
}

function sharesCall(ledger: Ledger, { steps }: Conversation, sign: Sign): boolean {
  const keys = knownKeys(ledger);
  return steps.some((step) => randomIds(step) !== undefined && keys.has(stepKey(step, sign)));
}

/** Keys of the steps that a ledger still knows. */
export function knownKeys({ window, pending }: Ledger): ReadonlySet<string> {
  return new Set([...window, ...(pending ? [pending.fingerprint] : [])].map(({ key }) => key));
}
