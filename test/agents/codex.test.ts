import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { tap } from "../support/servers/tap.ts";
import { type Script, type ScriptedRequest, scriptedUpstream } from "../support/servers/upstream.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { installedAgent } from "./install.ts";
import { runAgent } from "./run-agent.ts";

const packages = installedAgent("@openai/codex", "0.169.0");
const finalText = "The notes have three lines now.";
const marker = "[unloop]";

const final: ScriptedAnswer = { kind: "text", text: finalText };
const shell = (cmd: string): ScriptedAnswer => ({
  kind: "calls",
  text: "I will look.",
  calls: [{ tool: "exec_command", args: JSON.stringify({ cmd }) }],
});

interface Story {
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of Codex, as on its command line. */
  readonly settings?: readonly string[];
  /** The provider that it comes with, and not one of the user's. */
  readonly builtIn?: boolean;
}

/** Runs Codex without a person, through the guard, in front of a scripted model. */
async function run(script: Script, { env = {}, settings = [], builtIn = false }: Story = {}) {
  const upstream = await scriptedUpstream(script, responsesWire);
  const guard = await startGuard({ upstream: upstream.url, env });
  const tapped = await tap(guard.url);
  onTestFinished(async () => {
    await tapped.close();
    await guard.close();
    await upstream.close();
  });
  const own = `{name="guarded",base_url="${tapped.url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
  const provider = builtIn
    ? [`openai_base_url="${tapped.url}/v1"`]
    : ['model_provider="guarded"', `model_providers.guarded=${own}`];
  const given = ['model="gpt-5"', ...provider, ...settings].flatMap((setting) => ["-c", setting]);
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"];
  const ran = await runAgent({
    file: join(packages ?? "", ".bin/codex"),
    args: ["exec", ...flags, ...given, "Add the line three to notes.txt."],
    env: { OPENAI_API_KEY: "sk-test", CODEX_API_KEY: "sk-test" },
  });
  const exchanges = tapped.exchanges.map(({ method, status, bytes, fields, answerFields, answer }) => ({
    method,
    status,
    bytes: String(bytes),
    fields,
    answer: String(answer),
    verdict: answerFields["x-unloop-verdict"],
    session: answerFields["x-unloop-session"],
    source: answerFields["x-unloop-session-source"],
  }));
  return { ran, said: lastSaid(ran.output), exchanges, upstream };
}

/** What Codex said last to its person: a second answer is a paragraph of its own, for clients that join the texts of items. */
function lastSaid(output: string): string {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const messages = lines.map((line) => JSON.parse(line).item).filter((item) => item?.type === "agent_message");
  return messages.at(-1)?.text.trim() ?? "";
}

const verdictsOf = (exchanges: readonly { readonly verdict: unknown }[]) => exchanges.map(({ verdict }) => verdict);

describe.skipIf(packages === undefined)("Codex", () => {
  it("runs a healthy task byte for byte", async () => {
    const commands = ["ls", "cat notes.txt", "wc -l notes.txt", "echo three >> notes.txt", "tail -1 notes.txt"];
    const { ran, said, exchanges, upstream } = await run(({ view }) => {
      const command = commands[view.turns];
      return command === undefined ? final : shell(command);
    });
    expect([ran.code, said]).toEqual([0, finalText]);
    expect(verdictsOf(exchanges)).toEqual(Array(6).fill("ok"));
    expect(upstream.requests.map(({ bytes }) => String(bytes))).toEqual(exchanges.map(({ bytes }) => bytes));
    expect(upstream.requests.map(({ answer }) => String(answer))).toEqual(exchanges.map(({ answer }) => answer));
    expect(new Set(exchanges.map(({ session }) => session)).size).toBe(1);
  });

  it("is told at the third repeat, and goes on where the model heeds it", async () => {
    const { ran, said, exchanges } = await run(({ bytes }) => (bytes.includes(marker) ? final : shell("ls")));
    expect([ran.code, said]).toEqual([0, finalText]);
    expect(verdictsOf(exchanges).slice(0, 2)).toEqual(["ok", "ok"]);
    expect(exchanges.length).toBeLessThanOrEqual(4);
  });

  it("is ended by the sixth turn, and takes it for a normal end", async () => {
    const { ran, said, exchanges } = await run(() => shell("cat missing.txt"));
    expect(ran.code).toBe(0);
    expect(said).toContain("going in circles");
    expect(exchanges.length).toBeLessThanOrEqual(6);
    expect(ran.output).not.toContain("turn.failed");
  });

  it("asks no second time where the policy ends a run with an error", async () => {
    const policy = JSON.stringify({ finalResponse: "error", intercept: "off" });
    const { ran, exchanges } = await run(() => shell("cat missing.txt"), { env: { UNLOOP_POLICY: policy } });
    expect(ran.output).toContain("going in circles");
    expect(verdictsOf(exchanges).filter((verdict) => verdict === "short-circuit")).toHaveLength(1);
    expect(verdictsOf(exchanges).at(-1)).toBe("short-circuit");
  });

  it("compacts its history undisturbed, and its loop is known behind that", async () => {
    const isCompaction = ({ view }: ScriptedRequest) => view.texts.at(-1)?.includes("CONTEXT CHECKPOINT") === true;
    let asked = 0;
    const { ran, said, exchanges, upstream } = await run((request) => {
      if (isCompaction(request)) return { kind: "text", text: "The notes were looked at. They have two lines." };
      asked += 1;
      const answer = shell("ls");
      return request.bytes.includes(marker) ? final : asked === 2 ? nearlyFull(answer, request) : answer;
    });
    expect([ran.code, said]).toEqual([0, finalText]);
    const compactions = upstream.requests.filter(isCompaction);
    expect(compactions).toHaveLength(1);
    expect(exchanges.map(({ bytes }) => bytes)).toContain(String(compactions[0]?.bytes));
    expect(exchanges.length).toBeLessThanOrEqual(6);
    expect(new Set(exchanges.map(({ session }) => session)).size).toBe(1);
  });

  it("has sub-agents that are no loop of their parent's", async () => {
    const isSub = ({ fields }: ScriptedRequest) => fields["x-codex-parent-thread-id"] !== undefined;
    const { ran, said, exchanges } = await run((request) => {
      const { turns } = request.view;
      if (isSub(request)) return turns < 2 ? shell("cat notes.txt") : { kind: "text", text: "One and two." };
      if (turns === 1) return spawning;
      return turns < 3 ? shell("cat notes.txt") : final;
    });
    expect([ran.code, said]).toEqual([0, finalText]);
    expect(exchanges.some(({ fields }) => fields["x-codex-parent-thread-id"] !== undefined)).toBe(true);
    // Codex may end before its sub-agent's last request is answered.
    const answered = exchanges.filter(({ verdict }) => verdict !== undefined);
    expect(exchanges.length - answered.length).toBeLessThanOrEqual(1);
    expect(new Set(verdictsOf(answered))).toEqual(new Set(["ok"]));
    expect(new Set(answered.map(({ session }) => session)).size).toBe(1);
  });

  it("turns from WebSockets to HTTP at the first refusal", async () => {
    const { ran, said, exchanges } = await run(() => final, { builtIn: true });
    expect([ran.code, said]).toEqual([0, finalText]);
    expect(exchanges.filter(({ status }) => status === 426).length).toBeLessThanOrEqual(1);
    expect(exchanges.filter(({ method }) => method === "POST").map(({ verdict }) => verdict)).toEqual(["ok"]);
  });
});

const spawning: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "multi_agent_v1.spawn_agent", args: '{"message":"SUBTASK: read notes.txt"}' }],
};

/** An answer that has used up nearly all of the model's context. */
function nearlyFull(answer: ScriptedAnswer, { view }: ScriptedRequest): ScriptedAnswer {
  const raw = responsesWire.rendered(answer, view, () => crypto.randomUUID());
  const filled = (piece: string) => piece.replace(/"(input|total)_tokens":\d+/g, '"$1_tokens":990000');
  return { ...raw, pieces: raw.pieces.map((piece) => filled(String(piece))) };
}
