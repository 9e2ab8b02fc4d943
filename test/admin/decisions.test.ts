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

const TOKEN = "operate-0123456789";
const SECRET_TEXT = "the-launch-code-is-4711";

async function exporting(env: Readonly<Record<string, string>> = {}) {
  const path = join(mkdtempSync(join(tmpdir(), "unloop-decisions-")), "decisions.jsonl");
  const rig = await apiRig({ UNLOOP_DECISIONS: path, UNLOOP_ADMIN_TOKEN: TOKEN, UNLOOP_MODE: "observe", ...env });
  const lines = () =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { ...rig, path, lines };
}

/** The export alone, told of real exchanges. */
async function exportTo(decisions: string) {
  const logged: LogLine[] = [];
  const made = exportDecisions({ decisions }, logInto(logged));
  if (made === undefined) throw new Error("Nothing is exported.");
  const rig = await guardRig(looping("nothing"), { observer: made.observe });
  return {
    close: made.close,
    one: agent({ ...rig, headers: { "x-unloop-session": "run-1" } }),
    logged,
  };
}

const runs = async (rig: Awaited<ReturnType<typeof exporting>>, names: readonly string[], turns: number) => {
  const agents = names.map((name) => agent({ ...rig, task: SECRET_TEXT, headers: { "x-unloop-session": name } }));
  for (let turn = 0; turn < turns; turn++) for (const one of agents) await one.turn();
  await rig.close();
};

describe("the decision export", () => {
  it("has a line for each exchange, with its decision, each step once or twice, and no text", async () => {
    const rig = await exporting();
    await runs(rig, ["a", "b"], 6);
    const lines = rig.lines();
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
    const rig = await exporting();
    await runs(rig, ["run-1"], 6);
    const { out, code } = await unloop(["replay", "--format", "json", rig.path]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ id: "run-1", steps: 5 },
      findings: [
        { turn: 2, detector: "repeated-call", rung: "nudge", count: 3 },
        { turn: 4, detector: "repeated-call", rung: "force-done", count: 5 },
      ],
    });
  });

  it("that could not be written for a while tells the run whole again behind it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "unloop-decisions-"));
    const path = join(folder, "decisions.jsonl");
    const { one, close, logged } = await exportTo(path);
    const lines = () => readFileSync(path, "utf8").trim().split("\n");
    await one.turns(3);
    await vi.waitFor(() => expect(lines()).toHaveLength(3));
    renameSync(folder, `${folder}-gone`);
    await one.turns(2);
    await vi.waitFor(() => expect(logged.map(({ event }) => event)).toContain("decisions-lost"));
    renameSync(`${folder}-gone`, folder);
    await one.turn();
    await close();
    const last = JSON.parse(lines().at(-1) ?? "");
    expect([last.total, last.steps.length]).toEqual([5, 5]);
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
    expect(logged).toEqual([
      { level: "error", event: "decisions-lost", lines: 3, why: "they could not be written before the end" },
    ]);
  });

  it("that cannot be written is told at the start", async () => {
    await expect(apiRig({ UNLOOP_DECISIONS: "/nowhere/decisions.jsonl" })).rejects.toThrow(
      "The decision export cannot be written",
    );
  });
});
