import type { Step } from "../../step.ts";

/** No other run has a call of this id. `call_1`, `functions.read:7`, `get_page_step3` may be ids in several at once. */
export function isRandomId(id: string): boolean {
  // A number is a counter where it stands alone or behind a word; behind letters and digits it belongs to them.
  const stem = id.replace(/(?<![0-9a-z])[a-z]*\d{1,7}$/i, "");
  return stem.length >= 12 && /\d.*\d/.test(stem);
}

/** The ids of a step's calls as one text; undefined where they do not tell it from all other steps. */
export function randomIds({ calls }: Step): string | undefined {
  const ids = calls.map(({ id }) => id ?? "");
  return ids.length > 0 && ids.every(isRandomId) ? ids.join("\u0000") : undefined;
}
