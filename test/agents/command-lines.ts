import { join } from "node:path";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { type CommandLine, finalText, type Place, task } from "./command-line.ts";
import { installedAgent, installedPythonAgent } from "./install.ts";

const calling = (tool: string, args: object): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool, args: JSON.stringify(args) }],
});

const versions = {
  claude: "2.1.330",
  codex: "0.169.0",
  gemini: "0.61.0",
  qwen: "0.24.4",
  opencode: "1.18.33",
  cline: "3.0.65",
  continue: "1.5.47",
  aider: "0.86.2",
  mini: "2.4.6",
};

const inPackages = (packages: string | undefined, path: string) => packages && join(packages, path);
const claudePath = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

const claude: CommandLine = {
  name: "claude",
  version: versions.claude,
  wire: messagesWire,
  executable: inPackages(installedAgent("@anthropic-ai/claude-code", versions.claude), claudePath),
  args: ["-p", task, "--dangerously-skip-permissions"],
  env: {
    ANTHROPIC_API_KEY: "sk-ant-test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  },
  places: {
    "user's settings": (url) => ({
      settings: {
        ".claude/settings.json": `{\n\t"env": { "ANTHROPIC_BASE_URL" : "${url}" },\n\t"cleanupPeriodDays": 30\n}\n\n`,
      },
    }),
    "project's settings": (url) => ({
      settings: { "project/.claude/settings.json": `{ "env": {"ANTHROPIC_BASE_URL":"${url}"} }\n` },
    }),
    "project's local settings": (url) => ({
      settings: { "project/.claude/settings.local.json": `{ "env": {"ANTHROPIC_BASE_URL":"${url}"} }\n` },
    }),
    "--settings": (url) => ({ args: ["--settings", JSON.stringify({ env: { ANTHROPIC_BASE_URL: url } })] }),
    variable: (url) => ({ env: { ANTHROPIC_BASE_URL: url } }),
  },
  shell: (command) => calling("Bash", { command, description: "Look" }),
};

const corp = (url: string) => `{name="Corp",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;

const codex: CommandLine = {
  name: "codex",
  version: versions.codex,
  wire: responsesWire,
  executable: inPackages(installedAgent("@openai/codex", versions.codex), ".bin/codex"),
  args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
  env: { OPENAI_API_KEY: "sk-test", CODEX_API_KEY: "sk-test" },
  places: {
    "model_provider in config.toml": (url) => ({
      settings: {
        ".codex/config.toml": `# mine\r\nmodel = "gpt-5"\nmodel_provider   =   "corp"\n\n[model_providers.corp]\nname = "Corp"\nbase_url = "${url}/v1" # not to be touched\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`,
      },
    }),
    "openai_base_url in config.toml": (url) => ({
      settings: { ".codex/config.toml": `model = "gpt-5"\nopenai_base_url = "${url}/v1"\n` },
    }),
    "-c": (url) => ({ args: ["-c", 'model_provider="corp"', "-c", `model_providers.corp=${corp(url)}`] }),
    "--profile": (url) => ({
      settings: {
        ".codex/config.toml": `model = "gpt-5"\n[model_providers]\ncorp = ${corp(url)}\n`,
        ".codex/work.config.toml": 'model_provider = "corp"\n',
      },
      args: ["--profile", "work"],
    }),
  },
  shell: (cmd) => calling("exec_command", { cmd }),
};

const gemini: CommandLine = {
  name: "gemini",
  version: versions.gemini,
  wire: geminiStreamWire,
  executable: inPackages(installedAgent("@google/gemini-cli", versions.gemini), ".bin/gemini"),
  args: ["-p", task, "--yolo", "-m", "gemini-2.5-flash"],
  env: { GEMINI_API_KEY: "sk-test", GEMINI_CLI_TRUST_WORKSPACE: "true" },
  places: Object.fromEntries(
    Object.entries({
      "user's .env": (url: string) => ({
        settings: { ".gemini/.env": `# mine\r\nGOOGLE_GEMINI_BASE_URL = "${url}"\n` },
      }),
      "project's .env": (url: string) => ({
        settings: { "project/.gemini/.env": `GOOGLE_GEMINI_BASE_URL="${url}"\n` },
      }),
      variable: (url: string): Place => ({ env: { GOOGLE_GEMINI_BASE_URL: url } }),
    }).map(([place, at]) => [
      place,
      (url: string): Place => {
        const { settings, ...rest } = at(url) as Place;
        const auth = '{ "security" : {"auth":{"selectedType":"gemini-api-key"}} }\n';
        return { ...rest, settings: { ...settings, ".gemini/settings.json": auth } };
      },
    ]),
  ),
  shell: (command) => calling("run_shell_command", { command }),
};

const qwen: CommandLine = {
  name: "qwen",
  version: versions.qwen,
  wire: chatCompletionsWire,
  executable: inPackages(installedAgent("@qwen-code/qwen-code", versions.qwen), ".bin/qwen"),
  args: ["-p", task, "--yolo", "-m", "m"],
  env: { OPENAI_API_KEY: "sk-test" },
  settles: true,
  places: {
    modelProviders: (url) => ({
      settings: {
        ".qwen/settings.json": `{ "security":{"auth":{"selectedType":"openai"}},\n\t"modelProviders" : {"openai":[{"id":"m","envKey":"OPENAI_API_KEY", "baseUrl":"${url}/v1"}]} } // mine\n`,
      },
    }),
    "user's settings": (url) => ({
      settings: {
        ".qwen/settings.json": `{ "security" : {"auth":{"selectedType":"openai", "baseUrl" : "${url}/v1"}} } // mine\n`,
      },
    }),
    "project's settings": (url) => ({
      settings: {
        "project/.qwen/settings.json": `{ "security" : {"auth":{"selectedType":"openai", "baseUrl" : "${url}/v1"}} }\n`,
      },
    }),
    ".env": (url) => ({
      settings: {
        ".qwen/settings.json": '{"security":{"auth":{"selectedType":"openai"}}}',
        ".qwen/.env": `# mine\nOPENAI_BASE_URL="${url}/v1"\n`,
      },
    }),
    "--openai-base-url": (url) => ({ args: ["--auth-type", "openai", "--openai-base-url", `${url}/v1`] }),
    variable: (url) => ({ env: { OPENAI_BASE_URL: `${url}/v1` }, args: ["--auth-type", "openai"] }),
  },
  shell: (command) => calling("run_shell_command", { command, is_background: false }),
  // Its shell now and then says that a quick command had no output.
  look: calling("glob", { pattern: "*.txt" }),
};

const opencodeConfig = (url: string) =>
  `{\n  // mine\n  "$schema": "https://opencode.ai/config.json",\n  "provider": { "openai" : {"options":{ "baseURL": "${url}/v1" }} }\n}\n`;

const opencode: CommandLine = {
  name: "opencode",
  version: versions.opencode,
  wire: responsesWire,
  executable: inPackages(
    installedAgent("opencode-ai", versions.opencode),
    `opencode-${process.platform}-${process.arch}/bin/opencode`,
  ),
  args: ["run", "-m", "openai/gpt-5", task],
  env: { OPENAI_API_KEY: "sk-test", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  places: {
    "user's opencode.json": (url) => ({ settings: { ".config/opencode/opencode.json": opencodeConfig(url) } }),
    "project's opencode.jsonc": (url) => ({ settings: { "project/opencode.jsonc": opencodeConfig(url) } }),
    OPENCODE_CONFIG_CONTENT: (url) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(url).replace(/\/\/.*/, "") } }),
  },
  shell: (command) => calling("bash", { command, description: "Look" }),
};

const cline: CommandLine = {
  name: "cline",
  version: versions.cline,
  wire: chatCompletionsWire,
  executable: inPackages(installedAgent("cline", versions.cline), ".bin/cline"),
  args: ["--auto-approve", "true", task],
  env: {},
  settles: true,
  daemon: ".cline/data/locks/hub/production.json",
  renews: /"updatedAt": "[^"]*"/g,
  places: {
    "providers.json": (url) => ({
      settings: {
        ".cline/data/settings/providers.json": `{ "version": 1, "lastUsedProvider": "openai-compatible",\n "providers": {"openai-compatible": {"settings": {"provider":"openai-compatible","apiKey":"sk-test","model":"gpt-4o", "baseUrl" : "${url}/v1"}, "updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}} }\n`,
      },
    }),
  },
  shell: (command) => calling("run_commands", { commands: [command] }),
};

const continueModels = (url: string) =>
  `# mine\nname: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: m\n    provider: openai\n    model: gpt-4o\n    apiKey: sk-test\n    apiBase:   ${url}/v1 # not to be touched\n`;

const continueCli: CommandLine = {
  name: "continue",
  command: "cn",
  version: versions.continue,
  wire: chatCompletionsWire,
  executable: inPackages(installedAgent("@continuedev/cli", versions.continue), ".bin/cn"),
  args: ["-p", "--auto", task],
  env: { CONTINUE_TELEMETRY_ENABLED: "0" },
  places: {
    "~/.continue/config.yaml": (url) => ({ settings: { ".continue/config.yaml": continueModels(url) } }),
    "--config": (url) => ({
      settings: { "project/work.yaml": continueModels(url) },
      args: ["--config", "work.yaml"],
    }),
  },
  shell: (command) => calling("Bash", { command }),
};

const aider: CommandLine = {
  name: "aider",
  version: versions.aider,
  wire: chatCompletionsWire,
  executable: installedPythonAgent("aider-chat", versions.aider, "aider"),
  args: [
    "--message",
    task,
    "--yes-always",
    "--no-git",
    "--no-check-update",
    "--analytics-disable",
    "--no-show-model-warnings",
    "--model",
    "openai/gpt-4o",
  ],
  env: { OPENAI_API_KEY: "sk-test", AIDER_DISABLE_PLAYWRIGHT: "true" },
  places: {
    ".aider.conf.yml": (url) => ({ settings: { ".aider.conf.yml": `# mine\nopenai-api-base:   ${url}/v1\n` } }),
    "project's .aider.conf.yml": (url) => ({ settings: { "project/.aider.conf.yml": `openai-api-base: ${url}/v1\n` } }),
    AIDER_OPENAI_API_BASE: (url) => ({ env: { AIDER_OPENAI_API_BASE: `${url}/v1` } }),
    OPENAI_API_BASE: (url) => ({ env: { OPENAI_API_BASE: `${url}/v1` } }),
  },
  endsItself: true,
  shell: (command) => ({ kind: "text", text: `Run this:\n\n\`\`\`bash\n${command}\n\`\`\`\n` }),
};

const mini: CommandLine = {
  name: "mini-swe-agent",
  command: "mini",
  isKnown: false,
  loopSays: /RepeatedFormatError/,
  version: versions.mini,
  wire: chatCompletionsWire,
  executable: installedPythonAgent("mini-swe-agent", versions.mini, "mini"),
  args: [
    "-c",
    "mini.yaml",
    "--yolo",
    "--exit-immediately",
    "--cost-limit",
    "0",
    "--model",
    "openai/gpt-4o",
    "--task",
    task,
  ],
  env: { OPENAI_API_KEY: "sk-test", MSWEA_CONFIGURED: "true", MSWEA_COST_TRACKING: "ignore_errors" },
  places: {
    OPENAI_BASE_URL: (url) => ({ env: { OPENAI_BASE_URL: `${url}/v1` } }),
    OPENAI_API_BASE: (url) => ({ env: { OPENAI_API_BASE: `${url}/v1` } }),
  },
  finish: calling("bash", { command: `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo "${finalText}"` }),
  shell: (command) => calling("bash", { command }),
};

export const commandLines: readonly CommandLine[] = [
  claude,
  codex,
  gemini,
  qwen,
  opencode,
  cline,
  continueCli,
  aider,
  mini,
];
