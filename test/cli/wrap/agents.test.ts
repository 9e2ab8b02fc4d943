import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Environment, Through } from "../../../src/cli/wrap/agent.ts";
import { agentNamed, agents, anyCommand } from "../../../src/cli/wrap/agents.ts";

interface Row {
  readonly agent: string;
  readonly env?: Environment;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Of each variable, the URL to which the guard leads. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly first?: readonly string[];
  /** What becomes of the user's own arguments. */
  readonly own?: readonly string[];
  readonly changes?: Readonly<Record<string, string>>;
}

const through: Through = (baseUrl) => `http://guard/${baseUrl}`;

function wiringOf({ agent: name, env = {}, args = [], files = {} }: Row) {
  const agent = name === "" ? anyCommand : agentNamed(name);
  const surroundings = { env, args, home: "/home/dev", cwd: "/home/dev/proj", scratch: "/tmp/own" };
  return agent?.wire({ ...surroundings, read: (path) => files[path] }, through);
}

const valueAt = (value: unknown, path: string) =>
  path.split("/").reduce<unknown>((inner, key) => Object(inner)[key], value);

const [OPENAI, ANTHROPIC] = ["https://api.openai.com/v1", "https://api.anthropic.com"];
const GEMINI = "https://generativelanguage.googleapis.com";
const CODEX = "/home/dev/.codex/config.toml";
const CORP = '[model_providers.corp]\nbase_url = "https://corp.example/v1"\n';
const THROUGH_CORP = 'model_providers.corp.base_url="http://guard/https://corp.example/v1"';
const SETTINGS = "/home/dev/.claude/settings.json";
const claudeAt = (url: string) => `{"env":{"ANTHROPIC_BASE_URL":"${url}"}}`;
const aiderAt = (url: string): Readonly<Record<string, string>> => ({
  ...{ AIDER_OPENAI_API_BASE: url, OPENAI_API_BASE: url, OPENAI_BASE_URL: url },
  ...{ ANTHROPIC_API_BASE: ANTHROPIC, ANTHROPIC_BASE_URL: ANTHROPIC },
});

const rows: Readonly<Record<string, Row>> = {
  "Claude Code with the settings of a project before the user's, and both before the variable": {
    agent: "claude",
    files: {
      [SETTINGS]: claudeAt("https://user.example"),
      "/home/dev/proj/.claude/settings.local.json": claudeAt("https://project.example"),
    },
    environment: { ANTHROPIC_BASE_URL: "https://project.example" },
    first: ["--settings", claudeAt("http://guard/https://project.example")],
  },
  "Claude Code with settings on its command line": {
    agent: "claude",
    args: ["--settings", claudeAt("https://said.example"), "-p", "hi"],
    files: { [SETTINGS]: claudeAt("https://user.example") },
    environment: { ANTHROPIC_BASE_URL: "https://said.example" },
    first: [],
    own: ["--settings", claudeAt("http://guard/https://said.example"), "-p", "hi"],
  },
  "Claude Code with a file of settings on its command line, in which keys may stand": {
    agent: "claude",
    args: ["--settings=team.json"],
    files: { "/home/dev/proj/team.json": claudeAt("https://team.example") },
    first: [],
    own: ["--settings=/tmp/own/team.json"],
    changes: { "env/ANTHROPIC_BASE_URL": "https://team.example" },
  },
  "Claude Code on Vertex behind the gateway of its settings": {
    agent: "claude",
    files: {
      [SETTINGS]: '{"env":{"CLAUDE_CODE_USE_VERTEX":"true","ANTHROPIC_VERTEX_BASE_URL":"https://gateway.example/v1"}}',
    },
    environment: { ANTHROPIC_VERTEX_BASE_URL: "https://gateway.example/v1" },
  },
  "Gemini CLI behind the gateway of the one file that it reads": {
    agent: "gemini-cli",
    env: { GOOGLE_VERTEX_BASE_URL: "https://own.example" },
    files: {
      "/home/dev/.env": "GOOGLE_VERTEX_BASE_URL=https://far.example\n",
      "/home/dev/proj/.gemini/.env":
        "# mine\nexport GOOGLE_GEMINI_BASE_URL = 'https://near.example/g' # ours\nGOOGLE_VERTEX_BASE_URL=https://near.example\n",
      "/home/dev/proj/.env": "GOOGLE_GEMINI_BASE_URL=https://other.example\n",
    },
    environment: { GOOGLE_GEMINI_BASE_URL: "https://near.example/g", GOOGLE_VERTEX_BASE_URL: "https://own.example" },
  },
  "Codex whose file cannot be read, by its argument": {
    agent: "codex",
    files: { [CODEX]: "= nonsense" },
    environment: {},
    first: ["-c", `openai_base_url="http://guard/${OPENAI}"`],
  },
  "Codex with a provider of its file": {
    agent: "codex",
    files: { [CODEX]: `model_provider = "corp"\n${CORP}` },
    first: ["-c", THROUGH_CORP],
  },
  "Codex with a provider by an argument": {
    agent: "codex",
    args: ["exec", "-c", 'model_provider="corp"', "hi"],
    files: { [CODEX]: CORP },
    own: ["exec", "-c", 'model_provider="corp"', "-c", THROUGH_CORP, "hi"],
  },
  "Codex with a base URL by an argument, behind which ours stands": {
    agent: "codex",
    args: ["-c", 'openai_base_url="https://mine.example"', "--", "-c", "no option"],
    own: [
      ...["-c", 'openai_base_url="https://mine.example"', "-c", 'openai_base_url="http://guard/https://mine.example"'],
      ...["--", "-c", "no option"],
    ],
  },
  "Codex with a profile of its file": {
    agent: "codex",
    args: ["--profile", "work"],
    files: { [CODEX]: `${CORP}[profiles.work]\nmodel_provider = "corp"\n` },
    first: ["-c", THROUGH_CORP],
  },
  "Codex with an account in place of a key": {
    agent: "codex",
    files: { "/home/dev/.codex/auth.json": '{"tokens":{"access_token":"t"}}' },
    first: ["-c", 'openai_base_url="http://guard/https://chatgpt.com/backend-api/codex"'],
  },
  "Qwen Code by its argument": {
    agent: "qwen-code",
    env: { OPENAI_BASE_URL: "https://dashscope.example/v1" },
    environment: {
      ...{ OPENAI_BASE_URL: "https://dashscope.example/v1", OPENAI_API_BASE: "https://dashscope.example/v1" },
      ANTHROPIC_BASE_URL: ANTHROPIC,
    },
    first: ["--openai-base-url", "http://guard/https://dashscope.example/v1"],
  },
  "Qwen Code told by its user": {
    agent: "qwen",
    args: ["-p", "hi", "--openaiBaseUrl=https://mine.example/v1"],
    first: [],
    own: ["-p", "hi", "--openaiBaseUrl=http://guard/https://mine.example/v1"],
  },
  "Qwen Code behind the gateway of its .env file, which goes before its settings": {
    agent: "qwen",
    files: {
      "/home/dev/.qwen/settings.json": '{"security":{"auth":{"baseUrl":"https://gateway.example/v1"}}} // mine',
      "/home/dev/proj/.qwen/.env": "OPENAI_API_KEY=k\n",
      "/home/dev/.qwen/.env": "OPENAI_BASE_URL=https://env.example/v1\n",
    },
    first: ["--openai-base-url", "http://guard/https://env.example/v1"],
  },
  "Qwen Code in Anthropic's format, whose base URL is that of the argument, too": {
    agent: "qwen",
    files: {
      "/home/dev/proj/.qwen/settings.json":
        '{"security":{"auth":{"selectedType":"anthropic","baseUrl":"https://claude.example"}}}',
    },
    first: ["--openai-base-url", "http://guard/https://claude.example"],
  },
  "Qwen Code by each of its own models, and the one in use": {
    agent: "qwen",
    files: {
      "/home/dev/.qwen/settings.json": JSON.stringify({
        modelProviders: { openai: [{ id: "a", baseUrl: "https://a.example/v1" }, { id: "b" }] },
        model: { name: "a", baseUrl: "https://a.example/v1" },
      }),
    },
    changes: { "modelProviders/openai/0/baseUrl": "https://a.example/v1", "model/baseUrl": "https://a.example/v1" },
  },
  "aider with its repository's file before that of the home folder, and both before the variable of an SDK": {
    agent: "aider",
    env: { OPENAI_API_BASE: "https://corp.example/v1" },
    files: {
      "/home/dev/.aider.conf.yml": "openai-api-base: https://file.example/v1\n",
      "/home/dev/proj/.git/HEAD": "ref: refs/heads/main\n",
      "/home/dev/proj/.aider.conf.yml": "openai-api-base: https://project.example/v1 # mine\n",
    },
    environment: aiderAt("https://project.example/v1"),
  },
  "aider with its own variable before all": {
    agent: "aider",
    env: { AIDER_OPENAI_API_BASE: "https://own.example/v1" },
    files: { "/home/dev/.aider.conf.yml": "openai-api-base: https://file.example/v1\n" },
    environment: aiderAt("https://own.example/v1"),
  },
  "goose by hosts without a version": {
    agent: "goose",
    environment: { OPENAI_HOST: "https://api.openai.com", ANTHROPIC_HOST: ANTHROPIC },
  },
  "cline by its provider file": {
    agent: "cline",
    files: {
      "/home/dev/.cline/data/settings/providers.json": JSON.stringify({
        providers: {
          openai: { settings: { baseUrl: "https://corp.example/v1" } },
          anthropic: { settings: {} },
          "of-its-own": { settings: {} },
        },
      }),
    },
    changes: {
      "providers/openai/settings/baseUrl": "https://corp.example/v1",
      "providers/anthropic/settings/baseUrl": ANTHROPIC,
    },
  },
  "Continue by each of its models": {
    agent: "cn",
    files: {
      "/home/dev/.continue/config.yaml":
        "models:\n  - provider: openai\n    apiBase: https://corp.example/v1\n  - provider: anthropic\n  - provider: other\n",
    },
    first: ["--config", "/tmp/own/config.yaml"],
    changes: { "models/0/apiBase": "https://corp.example/v1", "models/1/apiBase": `${ANTHROPIC}/v1` },
  },
  "Continue with another configuration file": {
    agent: "continue",
    args: ["--config", "/tmp/other.yaml"],
    files: { "/tmp/other.yaml": "models:\n  - provider: openai\n" },
    own: ["--config", "/tmp/own/other.yaml"],
    changes: { "models/0/apiBase": OPENAI },
  },
  "any command behind the gateway that one of its variables names": {
    agent: "",
    env: { OPENAI_BASE_URL: "https://corp.example/v1" },
    environment: {
      ...{ OPENAI_BASE_URL: "https://corp.example/v1", OPENAI_API_BASE: "https://corp.example/v1" },
      ...{ ANTHROPIC_BASE_URL: ANTHROPIC, ANTHROPIC_API_BASE: ANTHROPIC, ANTHROPIC_VERTEX_BASE_URL: "v1" },
      ...{ GOOGLE_GEMINI_BASE_URL: GEMINI, GOOGLE_VERTEX_BASE_URL: "" },
      ...{ LITELLM_API_BASE: "https://corp.example/v1", OLLAMA_HOST: "http://127.0.0.1:11434" },
    },
  },
};

describe("an agent is pointed at the guard", () => {
  it.each(Object.entries(rows))("%s", (_, row) => {
    const wiring = wiringOf(row);
    const led = Object.entries(row.environment ?? {}).map(([name, url]) => [name, through(url).replace(/\/$/, "")]);
    if (row.environment !== undefined) expect(wiring?.environment ?? {}).toEqual(Object.fromEntries(led));
    if (row.first !== undefined) expect(wiring?.args ?? []).toEqual(row.first);
    if (row.own !== undefined) expect(wiring?.own).toEqual(row.own);
    for (const [at, url] of Object.entries(row.changes ?? {}))
      expect(valueAt(parse(wiring?.copy?.text ?? ""), at)).toBe(through(url));
  });

  it.each([
    ["", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":8080", "http://127.0.0.1:8080"],
    ["gpu:80/models", "http://gpu:80/models"],
    ["[::]:8080", "http://127.0.0.1:8080"],
    ["[::1]", "http://[::1]:11434"],
    ["https://gpu.example:8443/x", "https://gpu.example:8443/x"],
  ])("any command by OLLAMA_HOST=%s", (OLLAMA_HOST, url) => {
    const wiring = wiringOf({ agent: "", env: { OLLAMA_HOST } });
    expect(wiring?.environment?.OLLAMA_HOST).toBe(`http://guard/${url}`);
  });

  it("opencode by configuration merged over its files, of which it reads none above the repository", () => {
    const provided = (files: Readonly<Record<string, string>>, config = "{}") => {
      const wiring = wiringOf({ agent: "opencode", env: { OPENCODE_CONFIG_CONTENT: config }, files });
      return JSON.parse(wiring?.environment?.OPENCODE_CONFIG_CONTENT ?? "");
    };
    const corp = (host: string) => `{"provider":{"corp":{"options":{"baseURL":"https://${host}"}}}} // mine`;
    const files = {
      "/home/dev/.config/opencode/opencode.json": corp("user.example"),
      "/home/dev/proj/opencode.jsonc": corp("project.example"),
    };
    expect(provided(files, '{"model":"x","provider":{"openai":{"options":{"timeout":9}}}}')).toEqual({
      model: "x",
      provider: {
        openai: { options: { timeout: 9, baseURL: `http://guard/${OPENAI}` } },
        anthropic: { options: { baseURL: `http://guard/${ANTHROPIC}/v1` } },
        corp: { options: { baseURL: "http://guard/https://project.example" } },
      },
    });
    const above = { "/home/opencode.json": corp("stranger.example") };
    expect(provided(above).provider).toHaveProperty("corp");
    expect(provided({ ...above, "/home/dev/proj/.git": "gitdir: /elsewhere" }).provider).not.toHaveProperty("corp");
  });

  it("every agent by something, but for those that have a file of their own, or nothing to ask", () => {
    const silent = agents.filter(({ name }) => {
      const { environment = {}, args = [] } = wiringOf({ agent: name }) ?? {};
      return Object.keys(environment).length + args.length === 0;
    });
    expect(silent.map(({ name }) => name)).toEqual(["cline", "continue"]);
  });
});
