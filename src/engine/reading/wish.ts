import { requestedRepeats } from "./requested-repeats.ts";
import { itemsListed } from "./user-list.ts";

/** What a user's text wants more than once. */
export interface Wish {
  /** How often the same is to be done; 0 if it does not say. */
  readonly requestedRepeats: number;
  /** The items of its list, encoded; empty without one. */
  readonly userItems: string;
}

export function wishIn(text: string): Wish {
  return { requestedRepeats: requestedRepeats(text), userItems: itemsListed(text) };
}
