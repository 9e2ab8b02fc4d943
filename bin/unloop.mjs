#!/usr/bin/env node
// What has to be said before anything is imported: an old Node.js fails at an import, in thousands of characters.
import { existsSync } from "fs";
import module from "module";

const LEAST = [20, 19];
const version = process.versions.node;
const [major, minor] = version.split(".").map(Number);
const cli = new URL("../dist/cli/cli.js", import.meta.url);

if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
  stop(`Node.js ${version} is too old. Install Node.js ${LEAST.join(".")} or later.`);
else if (existsSync(cli)) {
  // Node.js 22.1 and later keep what they have compiled.
  if (module.enableCompileCache) module.enableCompileCache();
  import(cli.href);
} else stop("it is not built. Run `npm ci` in its folder first.");

function stop(sentence) {
  console.error(`unloop: ${sentence}`);
  process.exitCode = 1;
}
