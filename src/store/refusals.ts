import { UnloopError } from "../errors.ts";
import type { Totals } from "./store.ts";

/** Refusal by a store that answers, such as a full one of every write: what else it is asked for may go well. */
export class StoreRefusal extends UnloopError {
  constructor(message: string) {
    super("store_unavailable", message);
  }
}

/** The longest text a store takes, in UTF-16 units; a ledger has some tens of thousands. */
export const MAX_TEXT_LENGTH = 512 * 1024;

/** Limit on a text that every driver applies before storing it. */
export function refuseOversized(text: string): void {
  if (text.length <= MAX_TEXT_LENGTH) return;
  throw tooLong(text.length);
}

function tooLong(length: number): UnloopError {
  return refused(`A text of ${length} characters is not kept; ${MAX_TEXT_LENGTH} is the most.`);
}

/** Limit on all fields of a directory's entry together. */
export function refuseOversizedFields(fields: Readonly<Record<string, string>>): void {
  let length = 0;
  for (const name of Object.keys(fields)) length += name.length + (fields[name]?.length ?? 0);
  if (length > MAX_TEXT_LENGTH) throw tooLong(length);
}

/** What drivers do with amounts before they add them: one NaN would spoil a total for good. */
export function refuseUncountable(amounts: Totals): void {
  for (const name of Object.keys(amounts))
    if (!Number.isFinite(amounts[name])) throw refused(`The amount of ${name} is not a finite number.`);
}

function refused(message: string): UnloopError {
  return new UnloopError("record_refused", message);
}
