// Runs a benchmark by name: `npm run bench -- detection --verbose`. Without a name it lists them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `built`: it measures what is shipped (`dist`), which is built first. */
const benchmarks = {
  detection: { about: "how often the default policy is right, compared with simple rules" },
  loopbench: { about: "how often any loop detector is right: a module, a service or a program" },
  judge: { about: "what a judge that is asked in doubt adds to the rules" },
  live: { about: "what is done to all labelled conversations live, compared with what replay says" },
  overhead: { about: "what the guard costs, compared with a bare pass-through and another gateway", built: true },
  labels: { about: "what tenant, rule and audit cost an exchange", built: true },
  growth: { about: "what it costs by length of the history", built: true },
  cold: { about: "what the first requests cost that a fresh process gets", built: true },
  formats: { about: "what reading and judging an exchange costs in each wire format" },
  "step-cost": { about: "what the engine's part of an exchange costs, piece by piece", built: true },
  "state-cost": { about: "what keeping state costs a request" },
  replicas: { about: "what it costs if replicas alternate in each run", built: true },
  listing: { about: "how long it takes to list ten thousand sessions" },
  page: { about: "what the open page costs under 50 news a second: heap, nodes, CPU, requests" },
  "worker-cpu": { about: "what a guarded exchange costs in workerd" },
  memory: {
    about: "what memory the guard needs, under load and for ten thousand threads, and what a session leaves in Redis",
    built: true,
  },
  soak: { about: "whether half an hour of mixed traffic breaks, leaks or misjudges anything", built: true },
  "store-failures": { about: "what a failing Redis costs the traffic" },
  attacks: { about: "the result of all known attacks on the guard", built: true },
  "abort-leak": { about: "whether ten thousand disconnecting clients leave anything behind" },
  "real-model": {
    about: "whether runs of a real small model that loops by itself end with its own answer (needs Python)",
  },
  runaway: { about: "speed and accuracy of the scanner for runaway answers" },
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
