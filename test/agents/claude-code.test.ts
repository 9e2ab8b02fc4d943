import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { type Script, type ScriptedRequest, scriptedUpstream } from "../support/servers/upstream.ts";
import { tap } from "../support/servers/tap.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { vertexWire } from "../support/wires/vertex.ts";
import type { Wire } from "../support/wires/wire.ts";
import { installedAgent } from "./install.ts";
import { runAgent } from "./run-agent.ts";

const packages = installedAgent("@anthropic-ai/claude-code", "2.1.330");
const claude = packages && join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude");
const finalText = "The notes have a third line now.";

const final: ScriptedAnswer = { kind: "text", text: finalText };
const bash = (command: string): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool: "Bash", args: JSON.stringify({ command, description: "Look" }) }],
});

/** How it is pointed at an API. */
interface Access {
  readonly wire: Wire;
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const direct: Access = {
  wire: messagesWire,
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-test" }),
};

const onVertex: Access = {
  wire: vertexWire(true),
  env: (url) => ({
    CLAUDE_CODE_USE_VERTEX: "1",
    CLAUDE_CODE_SKIP_VERTEX_AUTH: "1",
    ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: "p-1",
    CLOUD_ML_REGION: "us-east5",
  }),
};

/** Runs Claude Code without a person, through the guard, in front of a scripted model. */
async function run(
  script: Script,
  args: readonly string[] = [],
  guarding: Readonly<Record<string, string>> = {},
  access = direct,
) {
  const upstream = await scriptedUpstream(script, access.wire);
  const guard = await startGuard({ upstream: upstream.url, env: guarding });
  const tapped = await tap(guard.url);
  onTestFinished(async () => {
    await tapped.close();
    await guard.close();
    await upstream.close();
  });
  const ran = await runAgent({
    file: claude ?? "",
    args: ["-p", "Add the line three to notes.txt.", "--dangerously-skip-permissions", ...args],
    env: {
      ...access.env(tapped.url),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // It refuses to skip permissions as root elsewhere.
      IS_SANDBOX: "1",
    },
  });
  const exchanges = tapped.exchanges.map(({ bytes, fields, answerFields, answer }) => ({
    bytes: String(bytes),
    fields,
    answer: String(answer),
    verdict: answerFields["x-unloop-verdict"],
    session: answerFields["x-unloop-session"],
    source: answerFields["x-unloop-session-source"],
  }));
  return { ran, exchanges, upstream };
}

/** An answer that has used up nearly all of the model's context. */
function nearlyFull(answer: ScriptedAnswer, { view }: ScriptedRequest): ScriptedAnswer {
  const raw = messagesWire.rendered(answer, view, () => randomUUID());
  return {
    ...raw,
    pieces: raw.pieces.map((piece) => String(piece).replace(/"input_tokens":\d+/, '"input_tokens":990000')),
  };
}

const verdictsOf = (exchanges: readonly { readonly verdict: unknown }[]) => exchanges.map(({ verdict }) => verdict);

describe.skipIf(claude === undefined)("Claude Code", () => {
  it("runs a healthy task byte for byte", async () => {
    const commands = ["ls", "cat notes.txt", "wc -l notes.txt", "echo three >> notes.txt", "tail -1 notes.txt"];
    const { ran, exchanges, upstream } = await run(({ view }) => {
      const command = commands[view.turns];
      return command === undefined ? final : bash(command);
    });
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    expect(verdictsOf(exchanges)).toEqual(Array(6).fill("ok"));
    expect(upstream.requests.map(({ bytes }) => String(bytes))).toEqual(exchanges.map(({ bytes }) => bytes));
    expect(upstream.requests.map(({ answer }) => String(answer))).toEqual(exchanges.map(({ answer }) => answer));
    expect(new Set(exchanges.map(({ source }) => source))).toEqual(new Set(["header:x-claude-code-session-id"]));
    expect(new Set(exchanges.map(({ session }) => session)).size).toBe(1);
  });

  it("is told at the third repeat, and goes on where the model heeds it", async () => {
    const { ran, exchanges } = await run(({ bytes }) => (bytes.includes("[unloop]") ? final : bash("ls")));
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    expect(verdictsOf(exchanges)).toEqual(["ok", "ok", "nudge"]);
  });

  it("is ended by the sixth turn, and takes it for a normal end", async () => {
    const { ran, exchanges } = await run(() => bash("cat missing.txt"));
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining("was stopped") });
    expect(verdictsOf(exchanges).indexOf("nudge")).toBe(2);
    expect(exchanges.length).toBeLessThanOrEqual(6);
  });

  describe("on Vertex", () => {
    const runs = (script: Script) => run(script, [], {}, onVertex);

    it("runs a healthy task byte for byte, at the URL that names its model", async () => {
      const { ran, exchanges, upstream } = await runs(({ view }) =>
        view.turns < 3 ? bash(`echo ${view.turns}`) : final,
      );
      expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
      expect(verdictsOf(exchanges)).toEqual(Array(4).fill("ok"));
      expect(upstream.requests.map(({ bytes }) => String(bytes))).toEqual(exchanges.map(({ bytes }) => bytes));
      expect(upstream.requests.map(({ answer }) => String(answer))).toEqual(exchanges.map(({ answer }) => answer));
      const path =
        /^\/v1\/projects\/p-1\/locations\/[\w-]+\/publishers\/anthropic\/models\/claude-[^/]+:streamRawPredict$/;
      for (const { target } of upstream.requests) expect(target).toMatch(path);
    });
  });

  it("does not repeat what a policy ends with an error", async () => {
    const policy = JSON.stringify({ extends: "default", finalResponse: "error", intercept: "off" });
    const { ran, exchanges } = await run(() => bash("cat missing.txt"), [], { UNLOOP_POLICY: policy });
    expect(`${ran.output}${ran.errors}`).toContain("was stopped");
    expect(verdictsOf(exchanges).filter((verdict) => verdict === "short-circuit")).toHaveLength(1);
    expect(verdictsOf(exchanges).at(-1)).toBe("short-circuit");
  });

  it("compacts its history undisturbed, and its loop is known behind that", async () => {
    const isCompaction = ({ view }: ScriptedRequest) => view.texts.at(-1)?.includes("TEXT ONLY") === true;
    const summary = "<summary>The notes were looked at. They have two lines.</summary>";
    let asked = 0;
    const { ran, exchanges, upstream } = await run((request) => {
      if (isCompaction(request)) return { kind: "text", text: summary };
      asked += 1;
      return request.bytes.includes("[unloop]") ? final : asked === 2 ? nearlyFull(bash("ls"), request) : bash("ls");
    });
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    const compactions = upstream.requests.filter(isCompaction);
    expect(compactions).toHaveLength(1);
    expect(exchanges.map(({ bytes }) => bytes)).toContain(String(compactions[0]?.bytes));
    expect(verdictsOf(exchanges)).toEqual(["ok", "ok", "ok", "nudge"]);
  });

  it("has sub-agents that are no loop of their parent's", async () => {
    const task = { description: "Read", prompt: "SUBTASK: read notes.txt", subagent_type: "general-purpose" };
    const isSub = ({ fields }: ScriptedRequest) => fields["x-claude-code-agent-id"] !== undefined;
    const { ran, exchanges } = await run((request) => {
      const { turns } = request.view;
      if (isSub(request)) return turns < 2 ? bash("cat notes.txt") : { kind: "text", text: "One and two." };
      if (turns === 1) return { kind: "calls", calls: [{ tool: "Agent", args: JSON.stringify(task) }] };
      return turns < 3 ? bash("cat notes.txt") : final;
    });
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining(finalText) });
    expect(exchanges.filter(({ fields }) => fields["x-claude-code-agent-id"] !== undefined).length).toBeGreaterThan(1);
    expect(new Set(verdictsOf(exchanges))).toEqual(new Set(["ok"]));
    expect(new Set(exchanges.map(({ session }) => session)).size).toBe(1);
  });
});
