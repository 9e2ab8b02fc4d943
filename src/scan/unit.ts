import { codeUnits } from "./code-units.ts";

const MULTIPLES = "kmgt";
/** Alone these are minutes, grams, tons. */
const NONE_ALONE = "mgt";

/** Which power of a thousand these letters stand for, as in 41.2MB, 1.70G, 12KiB; 0 where they are no such unit. */
export function multipleAt(from: number, end: number): number {
  if (end === from || end - from > 3) return 0;
  const first = String.fromCharCode(codeUnits[from] ?? 0);
  if (end - from === 1 && NONE_ALONE.includes(first)) return 0;
  for (let i = from + 1; i < end; i++) if (!"iIbB".includes(String.fromCharCode(codeUnits[i] ?? 0))) return 0;
  return MULTIPLES.indexOf(first.toLowerCase()) + 1;
}
