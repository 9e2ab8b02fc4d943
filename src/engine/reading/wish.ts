import { requestedRepeats, SHORT } from "./requested-repeats.ts";
import { type ItemList, itemsListed } from "./user-list.ts";

/** What somebody wants more than once: a user's text, or the system text. */
export interface Wish {
  /** How often the same is to be done; 0 if it does not say, `ENDLESS` or `UNTIL` if it says no number. */
  readonly requestedRepeats: number;
  /** The items of its list, encoded; empty without one. */
  readonly userItems: ItemList;
}

/** @param standing what the system text wants throughout */
export function wishIn(text: string, standing?: Wish): Wish {
  return {
    requestedRepeats: Math.max(requestedRepeats(text), standing?.requestedRepeats ?? 0),
    userItems: itemsListed(text),
  };
}

/** Undefined without one. A long system text is a manual: what it says of repeating is a rule. */
export function standingWish(system: string): Wish | undefined {
  const wish = {
    requestedRepeats: system.length > SHORT ? 0 : requestedRepeats(system),
    userItems: itemsListed(system),
  };
  return wish.requestedRepeats > 0 || wish.userItems !== "" ? wish : undefined;
}
