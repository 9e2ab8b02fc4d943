// Compiles src to dist and marks the command line as executable.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

rmSync(at("dist"), { recursive: true, force: true });
execFileSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "-p", at("tsconfig.build.json")], { stdio: "inherit" });
chmodSync(at("dist/cli/cli.js"), 0o755);
