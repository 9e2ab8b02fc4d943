import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { served } from "./assets/served.js";

/** The page's only file that is not ours: preact, its hooks and htm in one module. */
const VENDORED = "htm.js";

/** A file of the page without comments and indentation, read from beside this one; it is the same in the sources and in `dist`. */
export function readPageFile(name: string): string {
  if (name === VENDORED) return readFileSync(vendored(), "utf8");
  return served(readFileSync(join(import.meta.dirname, "assets", name), "utf8"));
}

function vendored(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve("htm")), "../preact/standalone.module.js");
}
