// Makes dist, or the folder that is named first: the library as the compiler gives it, and the command line as one file for each command.
// Packages that are no dependencies of ours are inside the files that import them. Options: --cli for the command line alone, --if-older for a build only where a source is
// newer.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const compiler = at("node_modules/typescript/bin/tsc");
const given = process.argv.slice(2);
const folder = given.find((argument) => !argument.startsWith("--")) ?? "dist";
const built = at(folder);
const cli = `${built}/cli/cli.js`;
const schemaFile = at("docs/config.schema.json");

if (!existsSync(compiler)) needsDist();
else if (!given.includes("--if-older")) await build();
else if (isOlder()) {
  console.error(`unloop: a source is newer than ${folder}, so it is built again; this takes some seconds.`);
  await build();
}

/** No failure: an installation that npm gives up half-made would break all later ones. Its command says the same. */
function needsDist() {
  if (!existsSync(cli)) console.error("unloop: it is not built, since there is no compiler here. Run `npm ci` first.");
}

function isOlder() {
  if (!existsSync(cli) || !existsSync(schemaFile)) return true;
  const sources = readdirSync(at("src"), { recursive: true }).map((name) => at(`src/${name}`));
  const since = statSync(cli).mtimeMs;
  const own = ["scripts/build.mjs", "scripts/config-descriptions.json"];
  const others = [...own, "package-lock.json", "tsconfig.json", "tsconfig.build.json"].map(at);
  return [...sources, ...others].some((path) => statSync(path).mtimeMs > since);
}

async function build() {
  rmSync(built, { recursive: true, force: true });
  const isLibrary = !given.includes("--cli");
  if (isLibrary) await buildLibrary();
  const inputs = await bundle({ entryPoints: { "cli/cli": at("src/cli/cli.ts") }, chunkNames: "cli/[name]-[hash]" });
  chmodSync(cli, 0o755);
  cpSync(at("src/page/assets"), `${built}/page/assets`, { recursive: true });
  cpSync(at("node_modules/htm/preact/standalone.module.js"), `${built}/page/assets/htm.js`);
  writeFileSync(`${built}/THIRD-PARTY-LICENSES.txt`, licences(inputs));
  await writeSchema();
}

/** The JSON Schema of configuration files, for editors: what the reader checks, and what people have written about it. */
async function writeSchema() {
  const esbuild = await import("esbuild");
  const checks = { entryPoints: [at("src/config-file/schema.ts")], bundle: true, platform: "node", format: "esm" };
  const { outputFiles } = await esbuild.build({ ...checks, write: false });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { configFileShape } = await import(`data:text/javascript;base64,${code}`);
  const about = JSON.parse(readFileSync(at("scripts/config-descriptions.json"), "utf8"));
  // Not a structured clone: shapes share parts, and these have words of their own at each place.
  const schema = JSON.parse(JSON.stringify(configFileShape.schema));
  for (const [path, description] of Object.entries(about)) {
    const inner = { "[]": "items", "{}": "additionalProperties" };
    const parts = path.match(/\w+|\[\]|\{\}/g);
    const place = parts.reduce((one, part) => (part in inner ? one?.[inner[part]] : one?.properties?.[part]), schema);
    if (place === undefined)
      throw new Error(`scripts/config-descriptions.json tells of "${path}", which no file may say. Take it away.`);
    place.description = description;
  }
  mkdirSync(at("docs"), { recursive: true });
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  // Another may be reading it.
  const whole = `${schemaFile}.${process.pid}`;
  writeFileSync(whole, `${JSON.stringify({ $schema, ...schema })}\n`);
  renameSync(whole, schemaFile);
}

/** Without the command line, which nobody imports. */
async function buildLibrary() {
  const options = ["-p", at("tsconfig.build.json"), "--outDir", built];
  execFileSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
  rmSync(`${built}/cli`, { recursive: true });
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  await bundle({
    entryPoints: Object.fromEntries(holders(installed).map((name) => [name, at(`src/${name}.ts`)])),
    chunkNames: "inside/[name]-[hash]",
    external: installed,
    plugins: [{ name: "ours-stay-files", setup: oursStayFiles }],
  });
}

/** Files of the library that import packages which are not installed with it. */
function holders(installed) {
  const isInstalled = (name) =>
    isBuiltin(name) || /^[.]|^cloudflare:/.test(name) || installed.some((one) => `${name}/`.startsWith(`${one}/`));
  return readdirSync(built, { recursive: true }).flatMap((path) => {
    if (!path.endsWith(".js")) return [];
    const imports = readFileSync(`${built}/${path}`, "utf8").matchAll(/(?:\bfrom |\bimport\(?)\s*"([^"]+)"/g);
    return [...imports].every(([, name]) => isInstalled(name)) ? [] : [path.slice(0, -".js".length)];
  });
}

/** Of a class of ours there must not be two. */
function oursStayFiles({ onResolve }) {
  onResolve({ filter: /^\..*\.ts$/ }, ({ path }) => ({ path: path.replace(/\.ts$/, ".js"), external: true }));
}

/** Gives the files that have gone in. Each dynamic import is a file of its own. */
async function bundle(options) {
  // Not at the top: an installation without development dependencies has none.
  const esbuild = await import("esbuild");
  const { metafile } = await esbuild.build({
    outdir: built,
    outbase: at("src"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // A package's own ES modules leave out what nobody uses.
    mainFields: ["module", "main"],
    // Names stay: they are in stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    absWorkingDir: at(""),
    // What is CommonJS asks for modules of Node.js by it.
    banner: { js: 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);' },
    logLevel: "warning",
    ...options,
  });
  return Object.keys(metafile.inputs);
}

/** The licence of every package that is inside, as it asks for. */
function licences(inputs) {
  const folders = inputs.flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const inside = [...new Set([...folders, "node_modules/htm", "node_modules/preact"])].filter((path) =>
    existsSync(at(path)),
  );
  return inside
    .sort()
    .map(licence)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licence(path) {
  const { name, version, license } = JSON.parse(readFileSync(at(`${path}/package.json`), "utf8"));
  const file = readdirSync(at(path)).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? "" : `\n${readFileSync(at(`${path}/${file}`), "utf8").trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
