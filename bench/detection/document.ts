import { readFile, writeFile } from "node:fs/promises";

const BEGIN = "<!-- measured: npm run bench -- detection --write -->";
const END = "<!-- end of what was measured -->";

/** Replaces what stands between the two marks. */
export async function writeInto(file: string, measured: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for what was measured: ${BEGIN} … ${END}`);
  await writeFile(file, `${text.slice(0, from)}${BEGIN}\n\n${measured}\n\n${text.slice(to)}`);
}
