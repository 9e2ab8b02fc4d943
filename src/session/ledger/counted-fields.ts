import type { Mutable } from "../../mutable.ts";
import type { Ledger } from "./ledger.ts";

type Lists = { readonly [Name in "userItems" | "resultItems" | "compactions"]?: Ledger[Name] | undefined };

/**
 * A copy of what a ledger says of its counted steps, with these lists; its counter, its pending step, the messages that it has grown
 * by, and what was relayed belong to one request. Written out: every exchange makes two, and spreads cost microseconds.
 */
export function countedFields(ledger: Ledger, { userItems, resultItems, compactions }: Lists): Mutable<Ledger> {
  const { schema, total, carried, root, prefix, since, window, heard } = ledger;
  const { language, requestedRepeats, standing, memory, interventions, budgetKey, endedBy, plan } = ledger;
  const copy: Mutable<Ledger> = {
    schema,
    total,
    carried,
    root,
    prefix,
    since,
    window,
    heard,
    language,
    requestedRepeats,
    memory,
    interventions,
  };
  if (userItems !== undefined && userItems !== "") copy.userItems = userItems;
  if (standing !== undefined) copy.standing = standing;
  if (resultItems !== undefined) copy.resultItems = resultItems;
  if (compactions !== undefined) copy.compactions = compactions;
  if (budgetKey !== undefined) copy.budgetKey = budgetKey;
  if (endedBy !== undefined) copy.endedBy = endedBy;
  if (plan !== undefined) copy.plan = plan;
  return copy;
}
