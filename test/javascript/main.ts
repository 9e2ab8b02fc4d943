import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PlayedRun, playedRun } from "../support/processes/played-client.ts";
import { clients, type JavaScriptClient } from "./clients.ts";
import { clientScript } from "./environments.ts";
import { modelOf, type Story, stories } from "./stories.ts";

/**
 * Real JavaScript clients through the guard, six stories each: `npm run test:js [-- CLIENT…]`. Their environments are installed
 * from npm at the first run; a client whose environment cannot be had is named and left out. A run of all writes the table of
 * RESULTS.md.
 */
const wanted = process.argv.slice(2);
const failures: string[] = [];
const missing: string[] = [];
const lines: string[] = [];

for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const script = clientScript(client.environment);
  if (script === undefined) {
    missing.push(client.name);
    continue;
  }
  const cells: string[] = [];
  for (const story of stories) {
    const run = await playedRun({
      model: modelOf(story),
      wire: client.wire,
      seconds: 90,
      command: process.execPath,
      args: (url) => [script, client.name, url, story],
      env: {},
    });
    const faults = faultsOf(story, run);
    console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${client.name} ${story}: ${summary(run)}`);
    failures.push(...faults.map((fault) => `${client.name} ${story}: ${fault}`));
    cells.push(cellOf(run));
  }
  lines.push(
    `| ${client.name} (${client.library} ${versionOf(client, script)}) | ${client.wire.name} | ${cells.join(" | ")} |`,
  );
}

if (missing.length > 0) console.log(`left out, no environment: ${missing.join(", ")}`);
for (const failure of failures) console.error(failure);
if (wanted.length === 0) writeTable();
process.exitCode = failures.length === 0 ? 0 : 1;

function summary({ verdicts, upstream, ended, text }: PlayedRun): string {
  return `${verdicts.join(" ")} | upstream ${upstream} | ${ended}: ${(text ?? "").slice(0, 160).replaceAll("\n", "⏎")}`;
}

/** Where it was nudged and ended, and what its user got. */
function cellOf({ verdicts, ended }: PlayedRun): string {
  const acts = ["nudge", "force-done", "short-circuit"].flatMap((rung) => {
    const at = verdicts.indexOf(rung);
    return at === -1 ? [] : [`${rung} ${at + 1}`];
  });
  return [acts.length === 0 ? "untouched" : acts.join(", "), ...(ended === "answer" ? [] : [`its own ${ended}`])].join(
    "; ",
  );
}

/** What a story must not show. */
function faultsOf(story: Story, { verdicts, ended }: PlayedRun): readonly string[] {
  const isWell = story === "healthy" || story === "poll";
  const odd = verdicts.filter((verdict) => verdict !== "ok");
  return [
    ...(verdicts.length === 0 ? ["no request came through the guard"] : []),
    ...(ended === "answer" ? [] : [`ended by ${ended}`]),
    ...(isWell && odd.length > 0 ? [`a run that moves on was given ${odd.join(", ")}`] : []),
    ...(!isWell && odd.length === 0 ? ["the loop was not seen"] : []),
  ];
}

function versionOf({ library }: JavaScriptClient, script: string): string {
  const manifest = JSON.parse(readFileSync(join(dirname(script), "node_modules", library, "package.json"), "utf8"));
  return String(manifest.version);
}

function writeTable(): void {
  const path = join(import.meta.dirname, "RESULTS.md");
  const [before = "", behind = ""] = readFileSync(path, "utf8").split(/<!-- js -->[\s\S]*<!-- \/js -->/);
  const head = [`| client | wire format | ${stories.join(" | ")} |`, `|${"---|".repeat(stories.length + 2)}`];
  writeFileSync(path, `${before}<!-- js -->\n${[...head, ...lines].join("\n")}\n<!-- /js -->${behind}`);
}
