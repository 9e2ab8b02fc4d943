import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";

/**
 * Puts results between their markers in a page of the docs: `<!-- <name>: begin -->` and `<!-- <name>: end -->`.
 * @throws when the page has none
 */
export function writeUp(page: string, name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const old = readFileSync(page, "utf8");
  const [from, to] = [old.indexOf(begin), old.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${page} has no place for ${name}.`);
  writeFileSync(page, `${old.slice(0, from + begin.length)}\n\n${text}\n\n${old.slice(to)}`);
}

/** When, where and how something was measured. */
export function circumstances(command: string, how: string): string {
  const machine = `Node ${process.versions.node}, ${cpus()[0]?.model.trim()} (${cpus().length} cores), Linux ${release()}`;
  return `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine}. ${how}`;
}
