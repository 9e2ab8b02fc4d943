#!/usr/bin/env node
import module from "node:module";

// What is imported below does not even load in older ones.
if (Number(process.versions.node.split(".")[0]) < 20) {
  process.stderr.write(
    `unloop: Node.js 20 or later is needed, this is ${process.versions.node}. Install it from https://nodejs.org.\n`,
  );
  process.exit(2);
}
// Node 22.1 and later keep what they have compiled. What this file imports is loaded before it is asked to.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
enableCompileCache?.();
const { run } = await import("./run.ts");
process.exitCode = await run(process.argv);
