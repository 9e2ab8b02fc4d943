import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";

const END = "<!-- end of what was measured -->";

/** Replaces what stands between the two marks of a benchmark. @throws when the page has none */
export function writeUp(page: string, bench: string, measured: string): void {
  const begin = `<!-- measured: npm run bench -- ${bench} --write -->`;
  const text = readFileSync(page, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(END, from);
  if (from < 0 || to < from) throw new Error(`${page} has no place for what was measured: ${begin} … ${END}`);
  writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${measured}\n\n${text.slice(to)}`);
}

/** When, where and how something was measured. */
export function circumstances(how: string): string {
  const machine = `Node ${process.versions.node}, ${cpus()[0]?.model.trim()} (${cpus().length} cores), Linux ${release()}`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}. ${how}`;
}
