import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { unloop } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { listen } from "../../src/transport/node-server.ts";
import { closing, listening } from "../support/servers/http.ts";
import { tap } from "../support/servers/tap.ts";
import { type RecordedRequest, scriptedUpstream } from "../support/servers/upstream.ts";
import { type Form, modelOf, type Story, stories } from "./stories.ts";

/**
 * Real Python clients in processes of their own through the guard, three stories each: `npm run test:python [-- CLIENT…]`.
 * `test/python/install.sh` makes their environments; a client whose environment is missing is named and left out.
 */
const clients: readonly (readonly [environment: string, names: string, form: Form])[] = [
  ["main", "openai langgraph langchain langchain-tool-strategy pydantic-ai pydantic-ai-typed", "native"],
  ["main", "smolagents-tools autogen autogen-team", "native"],
  ["main", "smolagents-code", "code"],
  ["main", "smolagents-code-structured", "code-structured"],
  ["main", "dspy-react", "fields"],
  ["llama", "llama-index-function", "native"],
  ["llama", "llama-index-react", "react-answer"],
  ["crew", "crewai-text", "react"],
  ["qwen", "qwen-agent", "tagged"],
  ["griptape", "griptape", "listed"],
  ["browser", "browser-use", "browser"],
];
const wanted = process.argv.slice(2);
const SECONDS = 240;
const shop = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`<html><body><h1>Page ${request.url}</h1><button>Search</button></body></html>`);
});
const page = `${await listening(shop)}/`;
const failures: string[] = [];
const missing: string[] = [];

for (const [environment, names, form] of clients)
  for (const name of names.split(" ").filter((one) => wanted.length === 0 || wanted.includes(one))) {
    const python = pythonOf(environment);
    if (python === undefined) missing.push(name);
    else for (const story of stories) await tell(name, story, form, python);
  }

await closing(shop);
if (missing.length > 0) console.log(`left out, no environment: ${missing.join(", ")}`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function pythonOf(environment: string): string | undefined {
  const virtual = process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? join(import.meta.dirname, "../../.python");
  const python = join(virtual, environment, "bin", "python");
  const hasBrowser = environment !== "browser" || process.env.UNLOOP_CHROMIUM !== undefined;
  return existsSync(python) && hasBrowser ? python : undefined;
}

async function tell(name: string, story: Story, form: Form, python: string): Promise<void> {
  const run = await played(name, story, form, python);
  const faults = faultsOf(name, story, run);
  const { verdicts, upstream, ended, text } = run;
  const summary = `${verdicts.join(" ")} | upstream ${upstream} | ${ended}: ${text.slice(0, 160).replaceAll("\n", "⏎")}`;
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name} ${story}: ${summary}`);
  failures.push(...faults.map((fault) => `${name} ${story}: ${fault}`));
}

type PlayedRun = Awaited<ReturnType<typeof played>>;

async function played(name: string, story: Story, form: Form, python: string) {
  const upstream = await scriptedUpstream(modelOf(story, form, page));
  const transport = nodeTransport();
  const verdicts: string[] = [];
  // The head of a stream does not say yet what becomes of it.
  const note = (facts: object, event: string) => {
    if (event === "exchange" && "verdict" in facts) verdicts.push(String(facts.verdict));
  };
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  const app = unloop({ upstream: upstream.url, transport, log });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0 });
  const tapped = await tap(url);
  try {
    const args = [join(import.meta.dirname, "run_client.py"), name, `${tapped.url}/v1`, `Look things up for ${story}.`];
    const { ended = "silence", text = "" } = await output(python, args);
    const texts = (passed: readonly Pick<RecordedRequest, "bytes" | "answer">[]) =>
      passed.map(({ bytes, answer }) => `${bytes} ${answer}`);
    return {
      verdicts,
      upstream: upstream.requests.length,
      isUntouched: isDeepStrictEqual(texts(tapped.exchanges), texts(upstream.requests)),
      ended,
      text,
    };
  } finally {
    await tapped.close();
    await drain(0);
    await transport.close();
    await upstream.close();
  }
}

/** What the process prints last, as JSON; empty if that is nothing, or too late. */
function output(command: string, args: readonly string[]): Promise<{ ended?: string; text?: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, UNLOOP_PAGE: page };
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"], timeout: SECONDS * 1000 });
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
    });
    child.on("error", () => resolve({}));
    child.on("close", () => {
      try {
        resolve(JSON.parse(text.trim().split("\n").at(-1) ?? ""));
      } catch {
        resolve({});
      }
    });
  });
}

function faultsOf(name: string, story: Story, { verdicts, upstream, isUntouched, ended }: PlayedRun): string[] {
  // This team waits for a word that only its policy can know (`stopSignal`): there, going on costs nothing.
  const waits = name === "autogen-team" && story === "deaf" && upstream <= 8;
  const isHealthy = story === "healthy";
  const odd = verdicts.filter((verdict) => verdict !== "ok");
  const end = verdicts.indexOf("short-circuit");
  // DSPy asks for the fields of the answer once more, when its run is over.
  const behind = end === -1 ? [] : verdicts.slice(end + 1, name === "dspy-react" ? -1 : undefined);
  const faults = {
    "no request came through the guard": verdicts.length === 0,
    [`ended by ${ended}`]: ended !== "answer" && !waits,
    [`a healthy run was given ${odd.join(", ")}`]: isHealthy && odd.length > 0,
    "a healthy run did not pass byte for byte": isHealthy && !isUntouched,
    "the loop was not seen": !isHealthy && odd.length === 0,
    "the run went on after its end": behind.some((verdict) => verdict !== "short-circuit"),
  };
  return Object.entries(faults).flatMap(([fault, is]) => (is ? [fault] : []));
}
