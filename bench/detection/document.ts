import { readFile, writeFile } from "node:fs/promises";

const END = "<!-- end of what was measured -->";

/** Replaces what stands between the two marks of a benchmark. */
export async function writeInto(file: string, measured: string, bench = "detection"): Promise<void> {
  const begin = `<!-- measured: npm run bench -- ${bench} --write -->`;
  const text = await readFile(file, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(END, from);
  if (from < 0 || to < from) throw new Error(`${file} has no place for what was measured: ${begin} … ${END}`);
  await writeFile(file, `${text.slice(0, from)}${begin}\n\n${measured}\n\n${text.slice(to)}`);
}
