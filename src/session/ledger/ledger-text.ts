import { type Footprint, keptForm } from "../../engine/engine.ts";
import type { Ledger } from "./ledger.ts";

/** A thread's footprints are written again with each of its turns, and all but the newest are the same. */
const written = new WeakMap<Footprint, string>();

/** A ledger as JSON; what `readLedger` reads. */
export function ledgerText({ window, pending, ...rest }: Ledger): string {
  const steps = window.map(textOf).join(",");
  const last = pending === undefined ? "" : `"pending":${pendingText(pending)},`;
  return `{"window":[${steps}],${last}${JSON.stringify(rest).slice(1)}`;
}

function pendingText({ print, ...taken }: NonNullable<Ledger["pending"]>): string {
  const more = JSON.stringify(taken).slice(1);
  return `{"print":${textOf(print)}${more === "}" ? more : `,${more}`}`;
}

function textOf(print: Footprint): string {
  const known = written.get(print);
  if (known !== undefined) return known;
  const text = JSON.stringify(keptForm(print));
  written.set(print, text);
  return text;
}
