import { mkdtempSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { exportDecisions } from "../../src/admin/decisions.ts";
import { unloop } from "../cli/command.ts";
import { agent } from "../proxy/agent.ts";
import { guardRig, type LogLine, logInto } from "../proxy/guard-rig.ts";
import { looping } from "../support/agents/scripts.ts";
import { apiRig } from "./api-rig.ts";

const folderOfTest = () => mkdtempSync(join(tmpdir(), "unloop-decisions-"));
const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Runs side by side at the real server, which then ends; gives the file of their decisions. */
async function exportedBy(names: readonly string[]): Promise<string> {
  const path = join(folderOfTest(), "decisions.jsonl");
  const rig = await apiRig({ UNLOOP_DECISIONS: path, UNLOOP_MODE: "observe" });
  const agents = names.map((name) => rig.agent(name, { task: "the-launch-code-is-4711" }));
  for (let turn = 0; turn < 6; turn++) for (const one of agents) await one.turn();
  await rig.close();
  return path;
}

/** The export alone, told of real exchanges. */
async function exportTo(decisions: string) {
  const logged: LogLine[] = [];
  const made = exportDecisions({ decisions }, logInto(logged)) ?? expect.fail("Nothing is exported.");
  const rig = await guardRig(looping("nothing"), { observer: made.observe });
  return { close: made.close, one: agent({ ...rig, headers: { "x-unloop-session": "run-1" } }), logged };
}

describe("the decision export", () => {
  it("has a line for each exchange, with its decision, each step once or twice, and no text", async () => {
    const lines = linesOf(await exportedBy(["a", "b"]));
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toMatchObject({
      ...{ decision: 1, session: "b", policy: "default", mode: "observe", wire: "chat-completions", status: 200 },
      ...{ verdict: "observe:force-done", rung: "force-done", detector: "repeated-call", count: 5, total: 5 },
      revision: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(lines.map(({ steps }) => steps.length)).toEqual([0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
    expect(JSON.stringify(lines)).not.toMatch(/launch-code|rain in the morning/);
  });

  it("is what `unloop replay` finds the same loops in as the guard did", async () => {
    const { out, code } = await unloop(["replay", "--format", "json", await exportedBy(["run-1"])]);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        ...{ id: "run-1", steps: 5 },
        findings: [
          { turn: 2, detector: "repeated-call", rung: "nudge", count: 3 },
          { turn: 4, detector: "repeated-call", rung: "force-done", count: 5 },
        ],
      },
    ]);
  });

  it("that could not be written for a while tells the run whole again behind it", async () => {
    const folder = folderOfTest();
    const path = join(folder, "decisions.jsonl");
    const { one, close, logged } = await exportTo(path);
    await one.turns(3);
    await vi.waitFor(() => expect(linesOf(path)).toHaveLength(3));
    renameSync(folder, `${folder}-gone`);
    await one.turns(2);
    await vi.waitFor(() => expect(logged.map(({ event }) => event)).toContain("decisions-lost"));
    renameSync(`${folder}-gone`, folder);
    await one.turn();
    await close();
    expect(linesOf(path).at(-1)).toMatchObject({ total: 5, steps: { length: 5 } });
  });

  it("into a standard output that stands does not hold up the end", async () => {
    const write = vi.spyOn(process.stdout, "write").mockImplementation(() => false);
    onTestFinished(() => write.mockRestore());
    const { one, close, logged } = await exportTo("stdout");
    await one.turn();
    await vi.waitFor(() => expect(write).toHaveBeenCalled());
    await one.turns(2);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closed;
    const why = "they could not be written before the end";
    expect(logged).toEqual([{ level: "error", event: "decisions-lost", lines: 3, why }]);
  });

  it("that cannot be written is told at the start", async () => {
    const starting = apiRig({ UNLOOP_DECISIONS: "/nowhere/decisions.jsonl" });
    await expect(starting).rejects.toThrow("The decision export cannot be written");
  });
});
