import type { Figure } from "./figures.ts";

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");

/** The median, and the least and the most where they differ. */
export function spread({ median, min, max }: Figure, digits: number): string {
  if (Number.isNaN(median)) return "-";
  const [middle, least, most] = [median, min, max].map((value) => value.toFixed(digits));
  return least === most ? String(middle) : `${middle} (${least}..${most})`;
}
