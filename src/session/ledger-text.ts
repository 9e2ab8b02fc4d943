import type { Footprint } from "../engine/engine.ts";
import type { Ledger } from "./ledger.ts";

/** A thread's footprints are written again with each of its turns, and all but the newest are the same. */
const written = new WeakMap<Footprint, string>();

/** A ledger as JSON; what `readLedger` reads. */
export function ledgerText({ window, ...rest }: Ledger): string {
  const steps = window.map(textOf).join(",");
  return `{"window":[${steps}],${JSON.stringify(rest).slice(1)}`;
}

function textOf(print: Footprint): string {
  const known = written.get(print);
  if (known !== undefined) return known;
  const text = JSON.stringify(print);
  written.set(print, text);
  return text;
}
