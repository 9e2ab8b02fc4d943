// Packs the package, installs the tarball into an empty folder as a user would, and uses every entry of it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "unloop-smoke-"));
const run = (command, args, options = {}) => execFileSync(command, args, { encoding: "utf8", cwd: folder, ...options });

try {
  const [{ filename, files, unpackedSize }] = JSON.parse(
    run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], { cwd: root }),
  );
  console.log(`packed ${files.length} files, ${Math.round(unpackedSize / 1024)} KiB`);
  if (files.some(({ path }) => /^(src|test|bench)\//.test(path)))
    throw new Error("the package holds more than the product");
  if (!files.some(({ path }) => path === "docs/config.schema.json"))
    throw new Error("the package lacks the schema of configuration files");
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  run("npm", ["install", "--silent", join(folder, filename)]);
  weigh();
  checkImports();
  useLibrary();
  useCommandLine();
  await useServer();
  await useWrap(join(folder, filename));
  console.log("the packed package works");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A ratchet: it is lowered freely, and raised only for a reason that a reviewer sees. */
function weigh() {
  const most = 25;
  const megabytes = Number(run("du", ["-sm", "node_modules"]).split("\t")[0]);
  console.log(`${megabytes} MB installed`);
  if (megabytes > most) throw new Error(`the installed package has over ${most} MB`);
}

/** What a file of the package imports is installed with it, whichever of them is loaded. */
function checkImports() {
  const own = join(folder, "node_modules", "unloop");
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  const files = readdirSync(join(own, "dist"), { recursive: true }).filter((name) => name.endsWith(".js"));
  for (const file of files) {
    const imports = readFileSync(join(own, "dist", file), "utf8").matchAll(
      /^(?:import|export)\b[^;"]*?from ?"([^".][^"]*)"/gm,
    );
    for (const [, name] of imports) {
      const [, asPackage] = /^((?:@[^/]+\/)?[^/]+)/.exec(name);
      if (
        !isBuiltin(name) &&
        !name.startsWith("cloudflare:") &&
        !(asPackage in { ...dependencies, ...peerDependencies })
      )
        throw new Error(`dist/${file} imports ${name}, which is not installed with it`);
    }
  }
}

function useLibrary() {
  const program = `
    import { unloop, presetNames } from "unloop";
    import { nodeTransport, redisStores, serve } from "unloop/node";
    import { watchRun } from "unloop/engine";
    import { unloop as middleware } from "unloop/ai-sdk";
    const app = unloop({ upstream: "http://127.0.0.1:9", transport: nodeTransport() });
    const stores = redisStores({ url: "redis://127.0.0.1:9" });
    if (await stores.whenReady(50)) process.exit(1);
    await stores.sessions.close();
    if ([typeof app.fetch, typeof serve, typeof watchRun().observe, typeof middleware().wrapStream].some((type) => type !== "function") || presetNames.length === 0) process.exit(1);
  `;
  run("node", ["--input-type=module", "-e", program]);
}

function useCommandLine() {
  const bin = join("node_modules", ".bin", "unloop");
  const version = run(bin, ["--version"]).trim();
  const call = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
  const turn = [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "the same" },
  ];
  const messages = [{ role: "user", content: "Go." }, ...turn, ...turn, ...turn];
  writeFileSync(join(folder, "loop.json"), JSON.stringify({ id: "loop", messages }));
  const [found] = run(bin, ["replay", "loop.json", "--format", "json"])
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  if (found.first?.rung !== "nudge" || found.first.turn !== 2) throw new Error(`replay found ${JSON.stringify(found)}`);
  console.log(`unloop ${version} replays`);
  const saved = /model calls +\d+ +\d+ +(\d+)/.exec(run(bin, ["demo"]))?.[1];
  if (!(Number(saved) > 0)) throw new Error("the demo does not show that the guard saves calls");
  console.log("unloop demo runs with nothing else installed");
}

async function useServer() {
  const upstream = await model();
  const collector = await traceCollector();
  const guard = spawn(
    "node",
    [
      join("node_modules", "unloop", "dist", "cli", "cli.js"),
      "serve",
      "--port",
      "0",
      "--log",
      "silent",
      "--upstream",
      `http://127.0.0.1:${upstream.address().port}`,
    ],
    {
      cwd: folder,
      stdio: ["ignore", "inherit", "pipe"],
      env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    },
  );
  const [banner] = await once(guard.stderr.setEncoding("utf8"), "data");
  const url = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(banner)?.[0];
  const answer = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });
  const verdict = answer.headers.get("x-unloop-verdict");
  await answer.text();
  guard.kill("SIGTERM");
  const [code] = await once(guard, "exit");
  upstream.close();
  collector.close();
  if (collector.traces === 0) throw new Error("no trace came to the collector");
  if (verdict !== "ok" || code !== 0) throw new Error(`serve answered with verdict ${verdict} and ended with ${code}`);
  console.log("unloop serves, and stops when asked to");
}

/** As somebody does who has only heard of it: from an empty folder, with nothing installed, around an agent of their own. */
async function useWrap(tarball) {
  const upstream = await model();
  const empty = mkdtempSync(join(tmpdir(), "unloop-npx-"));
  const agent = `
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body });
    await answer.text();
    console.log(answer.headers.get("x-unloop-verdict"));`;
  const command = ["--yes", "--package", tarball, "unloop", "wrap", "--", "node", "--input-type=module", "-e", agent];
  const env = { ...process.env, OPENAI_BASE_URL: `http://127.0.0.1:${upstream.address().port}/v1` };
  const began = performance.now();
  const npx = spawn("npx", command, { cwd: empty, env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, [code]] = await Promise.all([text(npx.stdout), text(npx.stderr), once(npx, "close")]);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  upstream.close();
  rmSync(empty, { recursive: true, force: true });
  if (code !== 0 || out.trim() !== "ok" || !err.includes("unloop: 1 step, no loop"))
    throw new Error(`npx unloop wrap ended with ${code}: ${out}${err}`);
  console.log(`npx unloop wrap runs an agent from an empty folder, installation included, in ${seconds} s`);
}

async function traceCollector() {
  const collector = { url: "", traces: 0, close: () => server.close() };
  const server = createServer((request, response) => {
    if (request.url === "/v1/traces") collector.traces += 1;
    request.resume().on("end", () => response.end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  collector.url = `http://127.0.0.1:${server.address().port}`;
  return collector;
}

async function model() {
  const server = createServer((request, response) => {
    request
      .resume()
      .on("end", () =>
        response.end('{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}'),
      );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
