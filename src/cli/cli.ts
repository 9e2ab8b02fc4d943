#!/usr/bin/env node
import module from "node:module";

// Node 22.1 and later keep what they have compiled. What this file imports is loaded before it is asked to.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
enableCompileCache?.();
const { run } = await import("./run.ts");
process.exitCode = await run(process.argv);
