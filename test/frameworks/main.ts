import { createServer } from "node:http";
import { type PlayedRun, playedRun } from "../support/processes/played-client.ts";
import { closing, listening } from "../support/servers/http.ts";
import { clientsIn, type FrameworkClient, tellsBrokenStreams } from "./clients.ts";
import { commandFor } from "./environments.ts";
import { cutOff, modelOf, type Story, stories } from "./stories.ts";

/**
 * Real clients in processes of their own through the guard, three stories each: `npm run test:python [-- CLIENT…]`, `npm run test:js`.
 * `test/python/install.sh` makes the environments of Python, those of JavaScript are installed from npm at the first run; a client
 * whose environment is missing is named and left out.
 */
const [language, ...wanted] = process.argv.slice(2);
const clients = clientsIn(language === "javascript" ? language : "python");
const SECONDS = 240;
const shop = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`<html><body><h1>Page ${request.url}</h1><button>Search</button></body></html>`);
});
const page = `${await listening(shop)}/`;
const failures: string[] = [];
const missing: string[] = [];

for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const command = commandFor(client);
  if (command === undefined) {
    missing.push(client.name);
    continue;
  }
  for (const story of [...stories, ...(tellsBrokenStreams(client) ? ["cut" as const] : [])]) {
    const run = await played(client, story, command);
    const faults = faultsOf(client, story, run);
    console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${client.name} ${story}: ${summary(run)}`);
    failures.push(...faults.map((fault) => `${client.name} ${story}: ${fault}`));
  }
}

await closing(shop);
if (missing.length > 0) console.log(`left out, no environment: ${missing.join(", ")}`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function played({ name, form, wire }: FrameworkClient, story: Story, [command, script]: readonly [string, string]) {
  const model = modelOf(story, form, page);
  return playedRun({
    model: story === "cut" ? cutOff(model, wire) : model,
    wire,
    seconds: SECONDS,
    command,
    args: (url) => [script, name, url, `Look things up for ${story}.`],
    env: { UNLOOP_PAGE: page },
  });
}

function summary({ verdicts, upstream, ended, text }: PlayedRun): string {
  return `${verdicts.join(" ")} | upstream ${upstream} | ${ended}: ${(text ?? "").slice(0, 160).replaceAll("\n", "⏎")}`;
}

/** What a story must not show. */
function faultsOf(
  { name }: FrameworkClient,
  story: Story,
  { verdicts, upstream, isUntouched, ended }: PlayedRun,
): readonly string[] {
  if (story === "cut") return ended === "error" ? [] : [`an answer that broke off was taken for ${ended}`];
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
