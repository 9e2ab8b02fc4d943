/** Markdown, with columns as wide as they need to be: it is read in a terminal, too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

export function share({ part, whole }: { readonly part: number; readonly whole: number }): string {
  return whole === 0 ? "-" : `${part}/${whole} (${percent(part / whole)})`;
}

/** @param ratio 0 to 1 */
export function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`;
}

/** The median, and the least and the most where they differ. */
export function spread(
  { median, min, max }: Readonly<Record<"median" | "min" | "max", number>>,
  digits: number,
): string {
  if (Number.isNaN(median)) return "-";
  const [middle, least, most] = [median, min, max].map((value) => value.toFixed(digits));
  return least === most ? String(middle) : `${middle} (${least}..${most})`;
}
