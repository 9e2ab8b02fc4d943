import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The page's only file that is not ours: preact, its hooks and htm in one module. */
const VENDORED = "htm.js";

/** A file of the page, read from beside this one; it is the same in the sources and in `dist`. */
export function readPageFile(name: string): string {
  return readFileSync(name === VENDORED ? vendored() : join(import.meta.dirname, "assets", name), "utf8");
}

function vendored(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve("htm")), "../preact/standalone.module.js");
}
