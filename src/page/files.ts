import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The page's only file that is not ours: preact, its hooks and htm in one module. */
const VENDORED = "htm.js";

/** Where the package has it, from its entry. */
const HTM_WITH_PREACT = "../preact/standalone.module.js";

/** From this folder, or from one beside it: a bundle of the command line has its own. */
const ASSETS = join(import.meta.dirname, "../page/assets");

/** What programs read of the docs: the schemas of the admin API and of configuration files. */
const DOCUMENTS = ["openapi.json", "config.schema.json"];

/** A file of the page, read from beside this one; it is the same in the sources and in `dist`. */
export const readPageFile = (name: string): string => readFileSync(placeOf(name), "utf8");

function placeOf(name: string): string {
  if (DOCUMENTS.includes(name)) return join(import.meta.dirname, "../../docs", name);
  return name === VENDORED ? vendored() : join(ASSETS, name);
}

/** The build copies it beside ours. */
function vendored(): string {
  const built = join(ASSETS, VENDORED);
  return existsSync(built) ? built : join(dirname(createRequire(import.meta.url).resolve("htm")), HTM_WITH_PREACT);
}
