import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Script, scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire } from "../support/wires/gemini.ts";
import type { Wire } from "../support/wires/wire.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { installedAgent } from "./install.ts";

const cli = fileURLToPath(new URL("../../src/cli/cli.ts", import.meta.url));
const claudePackages = installedAgent("@anthropic-ai/claude-code", "2.1.330");
const geminiPackages = installedAgent("@google/gemini-cli", "0.61.0");
const codexPackages = installedAgent("@openai/codex", "0.169.0");
const qwenPackages = installedAgent("@qwen-code/qwen-code", "0.24.4");
const finalText = "The notes have two lines.";
const task = "How many lines has notes.txt?";

interface WrappedAgent {
  readonly name: string;
  readonly wire: Wire;
  /** Undefined where it cannot be had. */
  readonly executable: string | undefined;
  /** What a person would have typed behind its name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its settings as a person keeps them, comments and odd blanks included; by path in the home folder. */
  readonly settings: (upstream: string) => Readonly<Record<string, string>>;
  readonly look: ScriptedAnswer;
}

const agents: readonly WrappedAgent[] = [
  {
    name: "claude",
    wire: messagesWire,
    executable:
      claudePackages && join(claudePackages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude"),
    args: ["-p", task, "--dangerously-skip-permissions"],
    env: {
      ANTHROPIC_API_KEY: "sk-ant-test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    },
    settings: (upstream) => ({
      ".claude/settings.json": `{\n\t"env": { "ANTHROPIC_BASE_URL" : "${upstream}" },\n\t"cleanupPeriodDays": 30\n}\n\n`,
    }),
    look: { kind: "calls", calls: [{ tool: "Bash", args: '{"command":"cat notes.txt","description":"Look"}' }] },
  },
  {
    name: "codex",
    wire: responsesWire,
    executable: codexPackages && join(codexPackages, ".bin/codex"),
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
    env: { OPENAI_API_KEY: "sk-test", CODEX_API_KEY: "sk-test" },
    settings: (upstream) => ({
      ".codex/config.toml": `# mine\r\nmodel = "gpt-5"\nmodel_provider   =   "corp"\n\n[model_providers.corp]\nname = "Corp"\nbase_url = "${upstream}/v1" # not to be touched\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`,
    }),
    look: { kind: "calls", calls: [{ tool: "exec_command", args: '{"cmd":"cat notes.txt"}' }] },
  },
  {
    name: "gemini",
    wire: geminiStreamWire,
    executable: geminiPackages && join(geminiPackages, ".bin/gemini"),
    args: ["-p", task, "--yolo", "-m", "gemini-2.5-flash"],
    env: { GEMINI_API_KEY: "sk-test", GEMINI_CLI_TRUST_WORKSPACE: "true" },
    settings: (upstream) => ({
      ".gemini/settings.json": '{ "security" : {"auth":{"selectedType":"gemini-api-key"}} }\n',
      ".gemini/.env": `# mine\r\nGOOGLE_GEMINI_BASE_URL = "${upstream}"\n`,
    }),
    look: { kind: "calls", calls: [{ tool: "read_file", args: '{"file_path":"notes.txt"}' }] },
  },
];

/** A home with the agent's settings in it, which point at a scripted model. */
async function homeOf(agent: WrappedAgent, script: Script) {
  const upstream = await scriptedUpstream(script, agent.wire);
  const home = mkdtempSync(join(tmpdir(), "wrapped-agent-"));
  onTestFinished(async () => {
    await upstream.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const settings = agent.settings(upstream.url);
  for (const [path, contents] of Object.entries(settings)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), contents);
  }
  const bin = join(home, "bin");
  mkdirSync(bin);
  symlinkSync(agent.executable ?? "", join(bin, agent.name));
  const project = join(home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "notes.txt"), "one\ntwo\n");
  const left = () =>
    Object.fromEntries(Object.keys(settings).map((path) => [path, readFileSync(join(home, path), "utf8")]));
  const traces = () =>
    readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.includes(".unloop-wrap"));
  return { upstream, home, bin, project, settings, left, traces };
}

type Home = Awaited<ReturnType<typeof homeOf>>;

/** A process in a group of its own, so that what outlives it is found and ended. */
function started(
  file: string,
  args: readonly string[],
  agent: WrappedAgent,
  { home, bin, project }: Home,
): ChildProcess {
  const child = spawn(file, args, {
    cwd: project,
    detached: true,
    env: { PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`, HOME: home, NO_COLOR: "1", ...agent.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => endGroup(child));
  return child;
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const wrapping = (agent: WrappedAgent, home: Home) =>
  started(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), cli, "wrap", agent.name, ...agent.args],
    agent,
    home,
  );

async function ended(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("its output is not piped");
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
  return { out, err, code };
}

const looped =
  (look: ScriptedAnswer): Script =>
  () =>
    look;
/** The first turn looks; the answer to the second never ends. */
const hanging =
  ({ look, wire }: WrappedAgent): Script =>
  ({ view }) => {
    if (view.turns === 0) return look;
    return { ...wire.rendered(look, view, () => "hangs"), pieces: [], ending: "hang" };
  };
const turnsIn = ({ requests }: Upstream) => requests.filter(({ view }) => view.turns > 0).length;

describe.each(agents)("unloop wrap $name, the agent itself", (agent) => {
  const play = it.skipIf(agent.executable === undefined);

  play("ends its loop, says so, and leaves its settings as they were, byte for byte", async () => {
    const home = await homeOf(agent, looped(agent.look));
    const { out, err, code } = await ended(wrapping(agent, home));
    expect([code, `${out}${err}`]).toEqual([0, expect.stringMatching(/going in circles|was stopped/)]);
    expect(err).toMatch(/unloop: \d+ steps, 1 loop \(repeated-call: [^)]+\), [\d,]+ tokens/);
    expect(home.upstream.requests.length).toBeLessThanOrEqual(8);
    expect(home.left()).toEqual(home.settings);
    expect(home.traces()).toEqual([]);
  });

  play("leaves them so when it is killed, and the agent runs without it as before", async () => {
    const home = await homeOf(agent, hanging(agent));
    const child = wrapping(agent, home);
    await expect.poll(() => turnsIn(home.upstream), { timeout: 60_000, interval: 100 }).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(home.left()).toEqual(home.settings);
    expect(home.traces()).toEqual([]);
    endGroup(child);

    const again = await homeOf(agent, () => ({ kind: "text", text: finalText }));
    const { out } = await ended(started(agent.name, agent.args, agent, again));
    expect(out).toContain(finalText);
    expect(again.left()).toEqual(again.settings);
  });

  play("runs twice at once, each behind its own guard", async () => {
    const home = await homeOf(agent, looped(agent.look));
    const runs = await Promise.all([ended(wrapping(agent, home)), ended(wrapping(agent, home))]);
    for (const { code, err } of runs) {
      expect(code).toBe(0);
      expect(err).toContain("1 loop (repeated-call");
    }
    expect(home.left()).toEqual(home.settings);
    expect(home.traces()).toEqual([]);
  });
});

/** Each of the places where Qwen Code's base URL may stand. It adds to its settings itself, and ends a plain loop by itself. */
const qwenPlaces = [
  {
    place: "settings.json",
    settings: (upstream: string) => ({
      ".qwen/settings.json": `{ "security" : {"auth":{"selectedType":"openai", "baseUrl" : "${upstream}/v1"}} } // mine\n`,
    }),
  },
  {
    place: ".env",
    settings: (upstream: string) => ({
      ".qwen/settings.json": '{"security":{"auth":{"selectedType":"openai"}}}',
      ".qwen/.env": `# mine\nOPENAI_BASE_URL="${upstream}/v1"\n`,
    }),
  },
  {
    place: "modelProviders",
    settings: (upstream: string) => ({
      ".qwen/settings.json": `{ "security":{"auth":{"selectedType":"openai"}},\n\t"modelProviders" : {"openai":[{"id":"m","envKey":"OPENAI_API_KEY", "baseUrl":"${upstream}/v1"}]} }\n`,
    }),
  },
];

describe.each(qwenPlaces)("unloop wrap qwen with its base URL in $place", ({ settings }) => {
  const qwen: WrappedAgent = {
    name: "qwen",
    wire: chatCompletionsWire,
    executable: qwenPackages && join(qwenPackages, ".bin/qwen"),
    args: ["-p", task, "--yolo", "-m", "m"],
    env: { OPENAI_API_KEY: "sk-test" },
    settings,
    look: { kind: "text", text: finalText },
  };

  it.skipIf(qwen.executable === undefined)("is guarded in front of it, and finds it there afterwards", async () => {
    const home = await homeOf(qwen, () => qwen.look);
    const { out, err, code } = await ended(wrapping(qwen, home));
    expect([code, out, err]).toEqual([
      0,
      expect.stringContaining(finalText),
      expect.stringMatching(/unloop: \d+ steps?, no loop/),
    ]);
    expect(home.upstream.requests.length).toBeGreaterThan(0);
    expect(Object.values(home.left()).join()).toContain(`"${home.upstream.url}/v1"`);
    expect(home.traces()).toEqual([]);
  });
});
