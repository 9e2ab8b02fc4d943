import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import { tap } from "../support/servers/tap.ts";
import type { Script, ScriptedRequest } from "../support/servers/upstream.ts";
import { geminiStreamWire, withoutIds } from "../support/wires/gemini.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { vertexWire } from "../support/wires/messages.ts";
import { calling, type CommandLine, finalText, type Place } from "./command-line.ts";
import { claude, codex, gemini } from "./command-lines.ts";
import { alone, ended, homeOf } from "./home.ts";

const final: ScriptedAnswer = { kind: "text", text: finalText };
const heeds =
  (act: ScriptedAnswer): Script =>
  ({ bytes }) =>
    bytes.includes("[unloop]") ? final : act;

async function run(agent: CommandLine, script: Script, env: Readonly<Record<string, string>> = {}) {
  let exchanges: Awaited<ReturnType<typeof tap>>["exchanges"] = [];
  const before = async (upstream: string) => {
    const guard = await startGuard({ upstream, env });
    const tapped = await tap(guard.url);
    onTestFinished(async () => {
      await tapped.close();
      await guard.close();
    });
    ({ exchanges } = tapped);
    return tapped.url;
  };
  const home = await homeOf(agent, script, { before });
  const { out, err, code } = await ended(alone(agent, home));
  const verdicts = exchanges.map(({ answerFields }) => answerFields["x-unloop-verdict"]);
  const sessions = new Set(exchanges.slice(1).map(({ answerFields }) => answerFields["x-unloop-session"]));
  return { said: `${out}${err}`, code, exchanges, verdicts, sessions, requests: home.upstream.requests };
}

function nearlyFull({ wire }: CommandLine, answer: ScriptedAnswer, { view }: ScriptedRequest): ScriptedAnswer {
  const raw = wire.rendered(answer, view, () => randomUUID());
  const filled = (piece: string) => piece.replace(/"(input|total)_tokens":\d+/g, '"$1_tokens":990000');
  return { ...raw, pieces: raw.pieces.map((piece) => filled(String(piece))) };
}

const onVertex: CommandLine = {
  ...claude,
  name: "claude on Vertex",
  wire: vertexWire(true),
  env: { ...claude.env, CLAUDE_CODE_USE_VERTEX: "1", CLAUDE_CODE_SKIP_VERTEX_AUTH: "1" },
  places: {
    variables: (url): Place => ({
      env: {
        ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
        ANTHROPIC_VERTEX_PROJECT_ID: "p-1",
        CLOUD_ML_REGION: "us-east5",
      },
    }),
  },
};
const unnamed: CommandLine = { ...gemini, name: "gemini, calls without ids", wire: withoutIds(geminiStreamWire) };

interface Row {
  readonly agent: CommandLine;
  readonly source?: string;
  readonly path?: RegExp;
  /** How it asks for a summary, and which calls begin a sub-agent with requests of a field of their own. */
  readonly compacts?: string;
  readonly sub?: { readonly field: string; readonly spawning: ScriptedAnswer };
}

const agents: readonly Row[] = [
  {
    agent: claude,
    source: "header:x-claude-code-session-id",
    compacts: "TEXT ONLY",
    sub: {
      field: "x-claude-code-agent-id",
      spawning: calling("Agent", {
        description: "Read",
        prompt: "SUBTASK: read notes.txt",
        subagent_type: "general-purpose",
      }),
    },
  },
  {
    agent: onVertex,
    path: /^\/v1\/projects\/p-1\/locations\/[\w-]+\/publishers\/anthropic\/models\/claude-[^/]+:streamRawPredict$/,
  },
  {
    agent: codex,
    compacts: "CONTEXT CHECKPOINT",
    sub: {
      field: "x-codex-parent-thread-id",
      spawning: calling("multi_agent_v1.spawn_agent", { message: "SUBTASK: read notes.txt" }),
    },
  },
  { agent: gemini },
  { agent: unnamed },
];

describe.each(agents.map((row) => ({ ...row, name: row.agent.name })))("$name", ({ agent, source, path, ...row }) => {
  const play = it.skipIf(agent.executable === undefined);
  const shell = (command: string) => agent.shell(command);

  play("runs a healthy task byte for byte", async () => {
    const commands = ["ls", "cat notes.txt missing.txt", "wc -l notes.txt", "echo three >> notes.txt"];
    const { code, said, exchanges, verdicts, sessions, requests } = await run(agent, ({ view }) => {
      const command = commands[view.turns];
      return command === undefined ? final : shell(command);
    });
    expect([code, said]).toEqual([0, expect.stringContaining(finalText)]);
    expect(verdicts).toEqual(Array(5).fill("ok"));
    expect(requests.map(({ bytes }) => String(bytes))).toEqual(exchanges.map(({ bytes }) => String(bytes)));
    expect(requests.map(({ answer }) => String(answer))).toEqual(exchanges.map(({ answer }) => String(answer)));
    expect(sessions.size).toBe(1);
    for (const { target } of path ? requests : []) expect(target).toMatch(path ?? "");
    for (const { answerFields } of source ? exchanges : [])
      expect(answerFields["x-unloop-session-source"]).toBe(source);
  });

  play("is told at the third repeat, and goes on where the model heeds it", async () => {
    const { code, said, verdicts } = await run(agent, heeds(shell("ls")));
    expect([code, said]).toEqual([0, expect.stringContaining(finalText)]);
    expect(verdicts.slice(0, 2)).toEqual(["ok", "ok"]);
    expect(verdicts.length).toBeLessThanOrEqual(4);
  });

  play("is ended by the sixth turn, and takes it for a normal end", async () => {
    const { code, said, verdicts } = await run(agent, () => shell("cat missing.txt"));
    expect([code, said]).toEqual([0, expect.stringMatching(/was stopped|going in circles/)]);
    expect(verdicts.length).toBeLessThanOrEqual(6);
  });

  play("asks no second time where the policy ends a run with an error", async () => {
    const policy = JSON.stringify({ finalResponse: "error", intercept: "off" });
    const { said, verdicts } = await run(agent, () => shell("cat missing.txt"), { UNLOOP_POLICY: policy });
    expect(said).toMatch(/was stopped|going in circles/);
    expect(verdicts.indexOf("short-circuit")).toBe(verdicts.length - 1);
  });

  const { compacts, sub } = row;
  it.skipIf(agent.executable === undefined || compacts === undefined)(
    "compacts its history undisturbed, and its loop is known behind that",
    async () => {
      const isCompaction = ({ view }: ScriptedRequest) => view.texts.at(-1)?.includes(compacts ?? "") === true;
      const summary = "<summary>The notes were looked at. They have two lines.</summary>";
      let asked = 0;
      const { code, said, exchanges, requests, sessions } = await run(agent, (request, index) => {
        if (isCompaction(request)) return { kind: "text", text: summary };
        asked += 1;
        const answer = heeds(shell("ls"))(request, index);
        return asked === 2 ? nearlyFull(agent, answer, request) : answer;
      });
      expect([code, said]).toEqual([0, expect.stringContaining(finalText)]);
      const compactions = requests.filter(isCompaction);
      expect(compactions).toHaveLength(1);
      expect(exchanges.map(({ bytes }) => String(bytes))).toContain(String(compactions[0]?.bytes));
      expect([exchanges.length <= 6, sessions.size]).toEqual([true, 1]);
    },
  );

  it.skipIf(agent.executable === undefined || sub === undefined)(
    "has sub-agents that are no loop of their parent's",
    async () => {
      const isSub = (fields: ScriptedRequest["fields"]) => fields[sub?.field ?? ""] !== undefined;
      const { code, said, exchanges, verdicts, sessions } = await run(agent, ({ view: { turns }, fields }) => {
        if (isSub(fields)) return turns < 2 ? shell("cat notes.txt") : { kind: "text", text: "One and two." };
        if (turns === 1) return sub?.spawning ?? final;
        return turns < 3 ? shell("cat notes.txt") : final;
      });
      expect([code, said]).toEqual([0, expect.stringContaining(finalText)]);
      expect(exchanges.some(({ fields }) => isSub(fields))).toBe(true);
      // An agent may end before its sub-agent's last request is answered.
      const answered = verdicts.filter((verdict) => verdict !== undefined);
      expect(verdicts.length - answered.length).toBeLessThanOrEqual(1);
      expect(new Set(answered)).toEqual(new Set(["ok"]));
      expect([...sessions].filter((session) => session !== undefined)).toHaveLength(1);
    },
  );
});

it.skipIf(codex.executable === undefined)("codex turns from WebSockets to HTTP at the first refusal", async () => {
  const builtIn: CommandLine = {
    ...codex,
    places: { "its own provider": (url) => ({ args: ["-c", `openai_base_url="${url}/v1"`] }) },
  };
  const { code, said, exchanges } = await run(builtIn, () => final);
  expect([code, said]).toEqual([0, expect.stringContaining(finalText)]);
  expect(exchanges.filter(({ status }) => status === 426).length).toBeLessThanOrEqual(1);
  const posted = exchanges.filter(({ method }) => method === "POST");
  expect(posted.map(({ answerFields }) => answerFields["x-unloop-verdict"])).toEqual(["ok"]);
});

it.skipIf(gemini.executable === undefined)("gemini sees a stream break off where its model's does", async () => {
  const { code, said, verdicts } = await run(gemini, ({ view }) => {
    const whole = geminiStreamWire.rendered(final, view, String);
    return { ...whole, pieces: whole.pieces.slice(0, 2), ending: "cut" };
  });
  expect([code, said]).toEqual([1, expect.stringContaining(finalText.slice(0, 18))]);
  expect(verdicts).toEqual(["ok"]);
});
