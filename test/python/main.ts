import { createServer } from "node:http";
import { join } from "node:path";
import { closing, listening } from "../support/servers/http.ts";
import { clients } from "./clients.ts";
import { pythonOf, runStory, type StoryResult } from "./run.ts";
import { stories } from "./stories.ts";

/**
 * Real Python clients through the guard, three stories each: `npm run test:python [-- CLIENT…]`.
 * The environments are made by `test/python/install.sh`; a client whose environment is missing is named and left out.
 */
const root = process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? join(import.meta.dirname, "../../.python");
const wanted = process.argv.slice(2);
const shop = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`<html><body><h1>Page ${request.url}</h1><button>Search</button></body></html>`);
});
const page = `${await listening(shop)}/`;
const failures: string[] = [];
const missing: string[] = [];

for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const python = pythonOf(root, client.environment);
  const hasBrowser = client.environment !== "browser" || process.env.UNLOOP_CHROMIUM !== undefined;
  if (python === undefined || !hasBrowser) {
    missing.push(client.name);
    continue;
  }
  for (const story of [...stories, ...(client.streams ? ["cut" as const] : [])]) {
    const result = await runStory(client, story, python, page);
    const faults = faultsOf(result);
    console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${client.name} ${story}: ${told(result)}`);
    failures.push(...faults.map((fault) => `${client.name} ${story}: ${fault}`));
  }
}

await closing(shop);
if (missing.length > 0)
  console.log(`left out, no environment: ${missing.join(", ")} (bash test/python/install.sh makes them)`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function told({ verdicts, upstream, ended, text }: StoryResult): string {
  return `${verdicts.join(" ")} | upstream ${upstream} | ${ended}: ${(text ?? "").slice(0, 160).replaceAll("\n", "⏎")}`;
}

/** What a story must not show. */
function faultsOf({ client, story, verdicts, upstream, isUntouched, ended }: StoryResult): readonly string[] {
  const faults: string[] = [];
  if (story === "cut") return ended === "error" ? [] : [`an answer that broke off was taken for ${ended}`];
  if (verdicts.length === 0) faults.push("no request came through the guard");
  // This team waits for a word that only its policy can know (`stopSignal`): there, going on costs nothing.
  const waits = client === "autogen-team" && story === "deaf" && upstream <= 8;
  if (ended !== "answer" && !waits) faults.push(`ended by ${ended}`);
  const odd = verdicts.filter((verdict) => verdict !== "ok");
  if (story === "healthy" && odd.length > 0) faults.push(`a healthy run was given ${odd.join(", ")}`);
  if (story === "healthy" && !isUntouched) faults.push("a healthy run did not pass byte for byte");
  if (story !== "healthy" && odd.length === 0) faults.push("the loop was not seen");
  const end = verdicts.indexOf("short-circuit");
  // DSPy asks for the fields of the answer once more, when its run is over.
  const over = client === "dspy-react" ? -1 : verdicts.length;
  if (end !== -1 && verdicts.slice(end + 1, over).some((verdict) => verdict !== "short-circuit"))
    faults.push("the run went on after its end");
  return faults;
}
