// Compiles src to dist, copies what the page serves as it is, and marks the command line as executable.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const compiler = at("node_modules/typescript/bin/tsc");

if (existsSync(compiler)) build();
// An installation without development dependencies brings its dist along.
else if (!existsSync(at("dist/cli/cli.js"))) {
  console.error("unloop: there is no dist and no compiler to make it; run `npm ci` without --omit=dev first.");
  process.exitCode = 1;
}

function build() {
  rmSync(at("dist"), { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, "-p", at("tsconfig.build.json")], { stdio: "inherit" });
  cpSync(at("src/page/assets"), at("dist/page/assets"), { recursive: true });
  chmodSync(at("dist/cli/cli.js"), 0o755);
}
