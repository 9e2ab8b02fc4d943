import type { Totals } from "../store.ts";

/** Adds amounts to sums by name, in place. A Map, since a sum may be called `__proto__` or `constructor` like any other. */
export function addTo(sums: Map<string, number>, amounts: Totals): void {
  for (const name of Object.keys(amounts)) sums.set(name, (sums.get(name) ?? 0) + (amounts[name] ?? 0));
}
