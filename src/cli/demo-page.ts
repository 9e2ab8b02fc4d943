import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readPageFile } from "../node.ts";
import { type DrawnFinding, reportParts } from "../page/page.ts";
import { policyNamed } from "../policy/policy.ts";
import type { AgentRun, AgentStep } from "./demo-agent.ts";
import { play, reportedConversation } from "./replay.ts";

interface MeasuredRun extends AgentRun {
  readonly tokens: number;
}

/** The demo's two runs as one page, side by side. */
export async function demoPage(alone: MeasuredRun, guarded: MeasuredRun): Promise<string> {
  const { begin, piece, end } = await reportParts(readPageFile, "Unloop: a run without the guard and with it", "sides");
  const saved = Math.round(100 * (1 - guarded.tokens / alone.tokens));
  const left = {
    ...drawn("Without a guard", alone, []),
    headline: `${alone.messagesSent} messages sent, until its cap of ${alone.steps.length} steps`,
    isBare: true,
  };
  const right = {
    ...drawn("With unloop", guarded, actsOf(guarded.steps)),
    headline: `${alone.messagesSent - guarded.messagesSent} messages not sent, ${saved} % of the tokens saved`,
  };
  const pieces = [left, right].map(piece);
  return begin + pieces.join("") + end;
}

function drawn(id: string, { messages }: AgentRun, findings: readonly DrawnFinding[]) {
  const policy = policyNamed("default");
  const played = play(id, { messages }, policy);
  if (played === undefined) throw new Error("The demo's run cannot be read.");
  const reported = reportedConversation(played, policy);
  return { ...reported, mode: "enforce", findings };
}

const ORDINALS: Readonly<Record<number, string>> = { 2: "second", 3: "third", 4: "fourth" };

/** What the guard did, by the verdicts that the agent was given. */
function actsOf(steps: readonly AgentStep[]): readonly DrawnFinding[] {
  return steps.flatMap(({ verdict = "ok", detector = "", count = 0 }, step) =>
    verdict === "ok"
      ? []
      : [
          {
            step,
            detector,
            rung: verdict,
            count,
            evidence: [],
            note: `the same message, for the ${ORDINALS[count] ?? `${count}th`} time`,
          },
        ],
  );
}

/** Writes a page to a temporary file, and opens it in this machine's browser. */
export async function showPage(page: string, out: NodeJS.WritableStream, isTerminal: boolean): Promise<void> {
  const file = join(await mkdtemp(join(tmpdir(), "unloop-demo-")), "demo.html");
  await writeFile(file, page);
  const url = pathToFileURL(file).href;
  out.write(`\nThe two runs as a page: ${url}\n`);
  if (!isTerminal) return;
  const [command = "", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  // Without a desktop the address above has to do.
  spawn(command, [...args, url], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};
