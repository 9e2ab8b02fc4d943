import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiStreamWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";
import { calling, type CommandLine, finalText, type Place, task } from "./command-line.ts";
import { installedAgent, installedPythonAgent } from "./install.ts";

const file =
  (path: string, contents: (url: string) => string) =>
  (url: string): Place => ({ settings: { [path]: contents(url) } });
const variable =
  (name: string, path = "") =>
  (url: string): Place => ({ env: { [name]: url + path } });

const claudePath = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

const claudeEnv = (url: string) => `{ "env": {"ANTHROPIC_BASE_URL":"${url}"} }\n`;

export const claude: CommandLine = {
  name: "claude",
  wire: messagesWire,
  ...installedAgent("@anthropic-ai/claude-code", "2.1.330", claudePath),
  args: ["-p", task, "--dangerously-skip-permissions"],
  env: {
    ANTHROPIC_API_KEY: "sk-ant-test",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  },
  places: {
    variable: variable("ANTHROPIC_BASE_URL"),
    "user's settings": file(
      ".claude/settings.json",
      (url) => `{\n\t"env": { "ANTHROPIC_BASE_URL" : "${url}" },\n\t"cleanupPeriodDays": 30\n}\n\n`,
    ),
    "project's settings": file("project/.claude/settings.json", claudeEnv),
    "project's local settings": file("project/.claude/settings.local.json", claudeEnv),
    "--settings": (url) => ({ args: ["--settings", claudeEnv(url)] }),
  },
  shell: (command) => calling("Bash", { command, description: "Look" }),
};

const corp = (url: string) => `{name="Corp",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;

export const codex: CommandLine = {
  name: "codex",
  wire: responsesWire,
  ...installedAgent("@openai/codex", "0.169.0", ".bin/codex"),
  args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
  env: { OPENAI_API_KEY: "sk-test", CODEX_API_KEY: "sk-test" },
  places: {
    "-c": (url) => ({ args: ["-c", 'model_provider="corp"', "-c", `model_providers.corp=${corp(url)}`] }),
    "model_provider in config.toml": file(
      ".codex/config.toml",
      (url) =>
        `# mine\r\nmodel = "gpt-5"\nmodel_provider   =   "corp"\n\n[model_providers.corp]\nname = "Corp"\nbase_url = "${url}/v1" # not to be touched\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`,
    ),
    "openai_base_url in config.toml": file(
      ".codex/config.toml",
      (url) => `model = "gpt-5"\nopenai_base_url = "${url}/v1"\n`,
    ),
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

/** Without a person it takes a base URL only where its settings say that the access is by a key. */
const geminiAuth = {
  settings: { ".gemini/settings.json": '{ "security" : {"auth":{"selectedType":"gemini-api-key"}} }\n' },
};

export const gemini: CommandLine = {
  name: "gemini",
  wire: geminiStreamWire,
  ...installedAgent("@google/gemini-cli", "0.61.0", ".bin/gemini"),
  args: ["-p", task, "--yolo", "-m", "gemini-2.5-flash"],
  env: { GEMINI_API_KEY: "sk-test", GEMINI_CLI_TRUST_WORKSPACE: "true" },
  places: {
    variable: (url) => ({ ...geminiAuth, env: { GOOGLE_GEMINI_BASE_URL: url } }),
    "user's .env": (url) => ({
      settings: { ...geminiAuth.settings, ".gemini/.env": `# mine\r\nGOOGLE_GEMINI_BASE_URL = "${url}"\n` },
    }),
    "project's .env": (url) => ({
      settings: { ...geminiAuth.settings, "project/.gemini/.env": `GOOGLE_GEMINI_BASE_URL="${url}"\n` },
    }),
  },
  shell: (command) => calling("run_shell_command", { command }),
};

const qwenAuth = (url: string) => `{ "security" : {"auth":{"selectedType":"openai", "baseUrl" : "${url}/v1"}} }`;

const qwen: CommandLine = {
  name: "qwen",
  wire: chatCompletionsWire,
  ...installedAgent("@qwen-code/qwen-code", "0.24.4", ".bin/qwen"),
  args: ["-p", task, "--yolo", "-m", "m"],
  env: { OPENAI_API_KEY: "sk-test" },
  settles: true,
  places: {
    modelProviders: file(
      ".qwen/settings.json",
      (url) =>
        `{ "security":{"auth":{"selectedType":"openai"}},\n\t"modelProviders" : {"openai":[{"id":"m","envKey":"OPENAI_API_KEY", "baseUrl":"${url}/v1"}]} } // mine\n`,
    ),
    "user's settings": file(".qwen/settings.json", (url) => `${qwenAuth(url)} // mine\n`),
    "project's settings": file("project/.qwen/settings.json", (url) => `${qwenAuth(url)}\n`),
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
  wire: responsesWire,
  ...installedAgent("opencode-ai", "1.18.33", `opencode-${process.platform}-${process.arch}/bin/opencode`),
  args: ["run", "-m", "openai/gpt-5", task],
  env: { OPENAI_API_KEY: "sk-test", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  places: {
    "user's opencode.json": file(".config/opencode/opencode.json", opencodeConfig),
    "project's opencode.jsonc": file("project/opencode.jsonc", opencodeConfig),
    OPENCODE_CONFIG_CONTENT: (url) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(url).replace(/\/\/.*/, "") } }),
  },
  shell: (command) => calling("bash", { command, description: "Look" }),
};

const cline: CommandLine = {
  name: "cline",
  wire: chatCompletionsWire,
  ...installedAgent("cline", "3.0.65", ".bin/cline"),
  args: ["--auto-approve", "true", task],
  env: {},
  settles: true,
  daemon: ".cline/data/locks/hub/production.json",
  renews: /"updatedAt": "[^"]*"/g,
  places: {
    "providers.json": file(
      ".cline/data/settings/providers.json",
      (url) =>
        `{ "version": 1, "lastUsedProvider": "openai-compatible",\n "providers": {"openai-compatible": {"settings": {"provider":"openai-compatible","apiKey":"sk-test","model":"gpt-4o", "baseUrl" : "${url}/v1"}, "updatedAt":"2026-01-01T00:00:00.000Z","tokenSource":"manual"}} }\n`,
    ),
  },
  shell: (command) => calling("run_commands", { commands: [command] }),
};

const continueModels = (url: string) =>
  `# mine\nname: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: m\n    provider: openai\n    model: gpt-4o\n    apiKey: sk-test\n    apiBase:   ${url}/v1 # not to be touched\n`;

const continueCli: CommandLine = {
  name: "continue",
  command: "cn",
  wire: chatCompletionsWire,
  ...installedAgent("@continuedev/cli", "1.5.47", ".bin/cn"),
  args: ["-p", "--auto", task],
  env: { CONTINUE_TELEMETRY_ENABLED: "0" },
  places: {
    "~/.continue/config.yaml": file(".continue/config.yaml", continueModels),
    "--config": (url) => ({
      settings: { "project/work.yaml": continueModels(url) },
      args: ["--config", "work.yaml"],
    }),
  },
  shell: (command) => calling("Bash", { command }),
};

const aider: CommandLine = {
  name: "aider",
  wire: chatCompletionsWire,
  ...installedPythonAgent("aider-chat", "0.86.2", "aider"),
  args: [
    ...["--message", task, "--model", "openai/gpt-4o", "--yes-always", "--no-git", "--no-check-update"],
    ...["--analytics-disable", "--no-show-model-warnings"],
  ],
  env: { OPENAI_API_KEY: "sk-test", AIDER_DISABLE_PLAYWRIGHT: "true" },
  places: {
    ".aider.conf.yml": file(".aider.conf.yml", (url) => `# mine\nopenai-api-base:   ${url}/v1\n`),
    "project's .aider.conf.yml": file("project/.aider.conf.yml", (url) => `openai-api-base: ${url}/v1\n`),
    AIDER_OPENAI_API_BASE: variable("AIDER_OPENAI_API_BASE", "/v1"),
    OPENAI_API_BASE: variable("OPENAI_API_BASE", "/v1"),
  },
  endsItself: true,
  shell: (command) => ({ kind: "text", text: `Run this:\n\n\`\`\`bash\n${command}\n\`\`\`\n` }),
};

const mini: CommandLine = {
  name: "mini-swe-agent",
  command: "mini",
  isKnown: false,
  loopSays: /RepeatedFormatError/,
  wire: chatCompletionsWire,
  ...installedPythonAgent("mini-swe-agent", "2.4.6", "mini"),
  args: [
    ...["-c", "mini.yaml", "--yolo", "--exit-immediately", "--cost-limit", "0"],
    ...["--model", "openai/gpt-4o", "--task", task],
  ],
  env: { OPENAI_API_KEY: "sk-test", MSWEA_CONFIGURED: "true", MSWEA_COST_TRACKING: "ignore_errors" },
  places: {
    OPENAI_BASE_URL: variable("OPENAI_BASE_URL", "/v1"),
    OPENAI_API_BASE: variable("OPENAI_API_BASE", "/v1"),
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
