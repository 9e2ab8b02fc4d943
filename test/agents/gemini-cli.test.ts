import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { tap } from "../support/servers/tap.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { geminiStreamWire, withoutIds } from "../support/wires/gemini.ts";
import type { Wire } from "../support/wires/wire.ts";
import { installedAgent } from "./install.ts";
import { runAgent } from "./run-agent.ts";

const packages = installedAgent("@google/gemini-cli", "0.61.0");
const finalText = "The notes have three lines now.";

const final: ScriptedAnswer = { kind: "text", text: finalText };
const reads = (...paths: readonly string[]): ScriptedAnswer => ({
  kind: "calls",
  text: "I will look.",
  calls: paths.map((file_path) => ({ tool: "read_file", args: JSON.stringify({ file_path }) })),
});
const shell = (command: string): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool: "run_shell_command", args: JSON.stringify({ command }) }],
});

/** Runs Gemini CLI with a key and without a person, through the guard, in front of a scripted model. */
async function run(script: Script, wire: Wire = geminiStreamWire) {
  const upstream = await scriptedUpstream(script, wire);
  const guard = await startGuard({ upstream: upstream.url });
  const tapped = await tap(guard.url);
  onTestFinished(async () => {
    await tapped.close();
    await guard.close();
    await upstream.close();
  });
  const ran = await runAgent({
    file: join(packages ?? "", ".bin/gemini"),
    args: ["-p", "Add the line three to notes.txt.", "--yolo", "-m", "gemini-2.5-flash"],
    env: { GEMINI_API_KEY: "sk-test", GOOGLE_GEMINI_BASE_URL: tapped.url, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    // Without a person it takes a base URL only where its settings say that the access is by a key.
    settings: { ".gemini/settings.json": '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' },
  });
  const exchanges = tapped.exchanges.map(({ bytes, answerFields, answer }) => ({
    bytes: String(bytes),
    answer: String(answer),
    verdict: answerFields["x-unloop-verdict"],
    session: answerFields["x-unloop-session"],
  }));
  return { ran, exchanges, upstream };
}

const verdictsOf = (exchanges: readonly { readonly verdict: unknown }[]) => exchanges.map(({ verdict }) => verdict);

describe.skipIf(packages === undefined)("Gemini CLI", () => {
  it.each([
    { calls: "with ids", wire: geminiStreamWire },
    { calls: "without ids", wire: withoutIds(geminiStreamWire) },
  ])("runs a healthy task byte for byte, parallel calls included, whose calls come $calls", async ({ wire }) => {
    const turns = [
      shell("ls"),
      reads("notes.txt", "missing.txt"),
      shell("echo three >> notes.txt"),
      reads("notes.txt"),
    ];
    const script: Script = ({ view }) => turns[view.turns] ?? final;
    const { ran, exchanges, upstream } = await run(script, wire);
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    expect(verdictsOf(exchanges)).toEqual(Array(5).fill("ok"));
    expect(upstream.requests.map(({ bytes }) => String(bytes))).toEqual(exchanges.map(({ bytes }) => bytes));
    expect(upstream.requests.map(({ answer }) => String(answer))).toEqual(exchanges.map(({ answer }) => answer));
    expect(new Set(exchanges.slice(1).map(({ session }) => session)).size).toBe(1);
    expect(upstream.requests[0]?.fields["x-goog-api-key"]).toBe("sk-test");
  });

  it("is told at the third repeat, and goes on where the model heeds it", async () => {
    const { ran, exchanges } = await run(({ bytes }) => (bytes.includes("[unloop]") ? final : reads("notes.txt")));
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    expect(verdictsOf(exchanges).slice(0, 2)).toEqual(["ok", "ok"]);
    expect(exchanges.length).toBeLessThanOrEqual(4);
  });

  it("is ended by the sixth run of a shell command, whose results name a process each", async () => {
    const { ran, exchanges } = await run(() => shell("ls"));
    expect(ran).toMatchObject({ code: 0, output: expect.stringMatching(/was stopped|going in circles/) });
    expect(exchanges.length).toBeLessThanOrEqual(6);
  });

  it("sees a stream break off where its model's does, and ends", async () => {
    const { ran, exchanges } = await run(({ view }) => {
      const whole = geminiStreamWire.rendered(final, view, String);
      return { ...whole, pieces: whole.pieces.slice(0, 2), ending: "cut" };
    });
    expect(ran).toMatchObject({ code: 1, output: finalText.slice(0, 18) });
    expect(verdictsOf(exchanges)).toEqual(["ok"]);
  });
});
