// Compiles src to a folder (dist, or the one that is named first), copies what the page serves as it is, and marks the command line as
// executable. What is named after the folder goes to the compiler. With dist comes the schema that the package publishes among its docs.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const compiler = at("node_modules/typescript/bin/tsc");
const [folder = "dist", ...options] = process.argv.slice(2);

if (existsSync(compiler)) build();
// An installation without development dependencies brings its dist along.
else if (!existsSync(at("dist/cli/cli.js"))) {
  console.error("unloop: there is no dist and no compiler to make it; run `npm ci` without --omit=dev first.");
  process.exitCode = 1;
}

function build() {
  const built = at(folder);
  rmSync(built, { recursive: true, force: true });
  const given = [compiler, "-p", at("tsconfig.build.json"), "--outDir", built, ...options];
  execFileSync(process.execPath, given, { stdio: "inherit" });
  cpSync(at("src/page/assets"), `${built}/page/assets`, { recursive: true });
  chmodSync(`${built}/cli/cli.js`, 0o755);
  // The image is built without docs.
  if (folder === "dist" && existsSync(at("docs"))) publishSchema(`${built}/cli/cli.js`);
}

/** Editors fetch it from the published package, by the address in docs/configuration.md. */
function publishSchema(cli) {
  writeFileSync(at("docs/config.schema.json"), execFileSync(process.execPath, [cli, "check-config", "--schema"]));
}
