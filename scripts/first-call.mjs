// How long it takes from an empty folder to the first guarded call, installation included: with the packed tarball in Node, and with the
// wheel in Python, whose guard is the tarball's. Nothing is cached: each round has a cache of its own. Fails at a minute.
//   node scripts/first-call.mjs [--rounds 5]
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const MOST_SECONDS = 60;
const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "unloop-first-call-"));
const model = await scriptedModel();

const call = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
const step = [
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c", content: "no results" },
];
const looping = { model: "m", messages: [{ role: "user", content: "Find it." }, ...step, ...step, ...step] };

try {
  const tarball = packed();
  const ways = { node: nodeWay(tarball) };
  if (hasPython()) ways.python = pythonWay(tarball, wheel());
  else console.log("left out: Python (there is no python3 with venv)");
  const seconds = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [way, play] of Object.entries(ways)) seconds[way].push(await timed(`${way}-${round}`, play));
  for (const [way, all] of Object.entries(seconds)) {
    const [least, most] = [Math.min(...all), Math.max(...all)];
    console.log(
      `${way}: ${medianOf(all).toFixed(1)} s (${least.toFixed(1)}..${most.toFixed(1)}, ${all.length} rounds)`,
    );
    if (most > MOST_SECONDS) process.exitCode = 1;
  }
} finally {
  model.close();
  rmSync(folder, { recursive: true, force: true });
}

async function timed(name, play) {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  const env = {
    ...process.env,
    npm_config_cache: join(cwd, ".npm"),
    PIP_CACHE_DIR: join(cwd, ".pip"),
    OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
  };
  const began = performance.now();
  const verdict = await play((command, ...args) => ranIn({ cwd, env }, command, args));
  const seconds = (performance.now() - began) / 1000;
  if (verdict !== "nudge") throw new Error(`${name} was told ${JSON.stringify(verdict)}`);
  rmSync(cwd, { recursive: true, force: true });
  return seconds;
}

async function ranIn(options, command, args) {
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout.trim();
}

/** As the README says, around a client that the npm package has nothing to do with. */
function nodeWay(tarball) {
  const agent = `
    const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: ${JSON.stringify(JSON.stringify(looping))} });
    await answer.text();
    console.log(answer.headers.get("x-unloop-verdict"));`;
  return (run) =>
    run("npx", "--yes", "--package", tarball, "unloop", "wrap", "--", "node", "--input-type=module", "-e", agent);
}

function pythonWay(tarball, wheelFile) {
  const program = `
import json, unloop
with unloop.start(["npx", "--yes", "--package", ${JSON.stringify(tarball)}, "unloop"]) as guard:
    print(guard.decide(json.loads(${JSON.stringify(JSON.stringify(looping))})).verdict)`;
  return async (run) => {
    await run("python3", "-m", "venv", "venv");
    await run("venv/bin/python", "-m", "pip", "install", "--quiet", "--no-input", wheelFile);
    return run("venv/bin/python", "-c", program);
  };
}

function packed() {
  const out = execFileSync("npm", ["pack", "--json", "--silent", "--pack-destination", folder], { cwd: root });
  return join(folder, JSON.parse(String(out))[0].filename);
}

function wheel() {
  const at = join(folder, "wheel");
  const build = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", at, join(root, "python")];
  execFileSync("python3", build, { stdio: "inherit" });
  return join(at, readdirSync(at)[0]);
}

function hasPython() {
  try {
    execFileSync("python3", ["-c", "import ensurepip, venv"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function medianOf(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

async function scriptedModel() {
  const message = { role: "assistant", content: "hi" };
  const answer = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const server = createServer((request, response) => request.resume().on("end", () => response.end(answer)));
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}
