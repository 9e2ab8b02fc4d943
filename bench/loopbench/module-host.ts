import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/**
 * Runs a detector that is a module as a program: `module-host.ts FILE`. The module's `detect`, or its default export, takes a
 * question and gives an answer, a verdict alone, or nothing for `none`; it may be asynchronous.
 */
const [file = ""] = process.argv.slice(2);

// Standard output is for answers alone.
console.log = console.error;
console.info = console.error;
console.debug = console.error;

const loaded = await import(pathToFileURL(file).href);
const detect: unknown = loaded.detect ?? loaded.default;
if (typeof detect !== "function") throw new Error(`${file} exports neither detect nor a default function.`);

for await (const line of createInterface({ input: process.stdin })) {
  const said: unknown = (await detect(JSON.parse(line))) ?? "none";
  process.stdout.write(`${JSON.stringify(typeof said === "string" ? { verdict: said } : said)}\n`);
}
