// Runs a benchmark by name: `npm run bench -- detection --verbose`. Without a name it lists them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `built`: it measures what is shipped (`dist`), which is built first. */
const benchmarks = {
  detection: { about: "how often the default policy is right, compared with simple rules" },
  loopbench: { about: "how often any loop detector is right: a module, a service or a program" },
  live: { about: "what is done to all labelled conversations live, compared with what replay says" },
  overhead: { about: "what the guard costs, compared with a bare pass-through and another gateway", built: true },
  cold: { about: "what the first requests cost that a fresh process gets", built: true },
  memory: { about: "what ten thousand live threads take of memory", built: true },
  attacks: { about: "what the dearest bodies cost the guard, with a search for dearer ones", built: true },
};

const [name, ...args] = process.argv.slice(2);
const chosen = benchmarks[name];
if (chosen === undefined) list();
else
  process.exitCode =
    (chosen.built ? run("scripts/build.mjs") : 0) || run("--import", "tsx", `bench/${name}.ts`, ...args);

function list() {
  const lines = Object.entries(benchmarks).map(([each, { about }]) => `  ${each.padEnd(16)}${about}`);
  const text = ["usage: npm run bench -- <name> [flags]; the flags are in bench/README.md", "", ...lines].join("\n");
  if (name === undefined) console.log(text);
  else {
    console.error(`There is no benchmark ${name}.\n${text}`);
    process.exitCode = 2;
  }
}

function run(...command) {
  return spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" }).status ?? 1;
}
