import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Environment, Through } from "../../../src/cli/wrap/agent.ts";
import { agentNamed, agents, anyCommand } from "../../../src/cli/wrap/agents.ts";

interface Row {
  readonly name: string;
  readonly agent: string;
  readonly env?: Environment;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: object;
  readonly first?: readonly string[];
  /** What becomes of the user's own arguments. */
  readonly own?: readonly string[];
  readonly changes?: readonly (readonly [at: string, value: string])[];
}

const through: Through = (baseUrl) => `http://guard/${baseUrl}`;

function wiringOf({ agent: name, env = {}, args = [], files = {} }: Row) {
  const agent = name === "" ? anyCommand : agentNamed(name);
  const surroundings = { env, args, home: "/home/dev", cwd: "/home/dev/proj", scratch: "/tmp/own" };
  return agent?.wire({ ...surroundings, read: (path) => files[path] }, through);
}

const valueAt = (value: unknown, path: string) =>
  path.split("/").reduce<unknown>((inner, key) => Object(inner)[key], value);

const CORP = '[model_providers.corp]\nbase_url = "https://corp.example/v1"\n';

const rows: readonly Row[] = [
  {
    name: "Claude Code by its variable",
    agent: "claude",
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com" },
  },
  {
    name: "Claude Code behind the gateway that it has",
    agent: "claude-code",
    env: { ANTHROPIC_BASE_URL: "https://gateway.example" },
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://gateway.example" },
  },
  {
    name: "Claude Code whose settings would overrule the variable",
    agent: "claude",
    files: { "/home/dev/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"https://gateway.example"}}' },
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://gateway.example" },
    first: ["--settings", '{"env":{"ANTHROPIC_BASE_URL":"http://guard/https://gateway.example"}}'],
  },
  {
    name: "Claude Code with the settings of a project before the user's",
    agent: "claude",
    files: {
      "/home/dev/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}',
      "/home/dev/proj/.claude/settings.local.json": '{"env":{"ANTHROPIC_BASE_URL":"https://project.example"}}',
    },
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://project.example" },
    first: ["--settings", '{"env":{"ANTHROPIC_BASE_URL":"http://guard/https://project.example"}}'],
  },
  {
    name: "Claude Code with settings on its command line",
    agent: "claude",
    args: ["--settings", '{"model":"x","env":{"ANTHROPIC_BASE_URL":"https://said.example"}}', "-p", "hi"],
    files: { "/home/dev/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}' },
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://said.example" },
    first: [],
    own: ["--settings", '{"model":"x","env":{"ANTHROPIC_BASE_URL":"http://guard/https://said.example"}}', "-p", "hi"],
  },
  {
    name: "Claude Code with a file of settings on its command line, in which keys may stand",
    agent: "claude",
    args: ["--settings=team.json"],
    files: { "/home/dev/proj/team.json": '{"env":{"ANTHROPIC_BASE_URL":"https://team.example"}}' },
    first: [],
    own: ["--settings=/tmp/own/team.json"],
    changes: [["env/ANTHROPIC_BASE_URL", "http://guard/https://team.example"]],
  },
  {
    name: "Claude Code with other settings on its command line than a base URL",
    agent: "claude",
    args: ["--settings", '{"model":"x"}'],
    environment: { ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com" },
    first: [],
    changes: [],
  },
  {
    name: "Claude Code on Vertex, whose host is in the paths",
    agent: "claude",
    env: { CLAUDE_CODE_USE_VERTEX: "1" },
    environment: { ANTHROPIC_VERTEX_BASE_URL: "http://guard/v1" },
  },
  {
    name: "Claude Code on Vertex behind the gateway of its settings",
    agent: "claude",
    files: {
      "/home/dev/.claude/settings.json":
        '{"env":{"CLAUDE_CODE_USE_VERTEX":"true","ANTHROPIC_VERTEX_BASE_URL":"https://gateway.example/v1"}}',
    },
    environment: { ANTHROPIC_VERTEX_BASE_URL: "http://guard/https://gateway.example/v1" },
    first: ["--settings", '{"env":{"ANTHROPIC_VERTEX_BASE_URL":"http://guard/https://gateway.example/v1"}}'],
  },
  {
    name: "Gemini CLI by its variables",
    agent: "gemini",
    environment: {
      GOOGLE_GEMINI_BASE_URL: "http://guard/https://generativelanguage.googleapis.com",
      GOOGLE_VERTEX_BASE_URL: "http://guard",
    },
  },
  {
    name: "Gemini CLI behind the gateway of the one file that it reads",
    agent: "gemini-cli",
    env: { GOOGLE_VERTEX_BASE_URL: "https://own.example" },
    files: {
      "/home/dev/.env": "GOOGLE_VERTEX_BASE_URL=https://far.example\n",
      "/home/dev/proj/.gemini/.env":
        "# mine\nGEMINI_API_KEY=k\nexport GOOGLE_GEMINI_BASE_URL = 'https://near.example/g' # ours\nGOOGLE_VERTEX_BASE_URL=https://near.example\n",
      "/home/dev/proj/.env": "GOOGLE_GEMINI_BASE_URL=https://other.example\n",
    },
    environment: {
      GOOGLE_GEMINI_BASE_URL: "http://guard/https://near.example/g",
      GOOGLE_VERTEX_BASE_URL: "http://guard/https://own.example",
    },
  },
  {
    name: "Codex by its argument",
    agent: "codex",
    environment: {},
    first: ["-c", 'openai_base_url="http://guard/https://api.openai.com/v1"'],
  },
  {
    name: "Codex with a provider of the user's",
    agent: "codex",
    files: {
      "/home/dev/.codex/config.toml":
        'model_provider = "corp"\n[model_providers.corp]\nbase_url = "https://corp.example/v1"\n',
    },
    first: ["-c", 'model_providers.corp.base_url="http://guard/https://corp.example/v1"'],
  },
  ...[
    { name: "an argument", args: ["exec", "-c", 'model_provider="corp"', "hi"], at: 3 },
    { name: "an argument that is no TOML", args: ["--config=model_provider=corp"], at: 1 },
    { name: "an argument in one word", args: ["-cmodel_provider=corp", "hi"], at: 1 },
  ].map(
    ({ name, args, at }): Row => ({
      name: `Codex with a provider by ${name}`,
      agent: "codex",
      args,
      files: { "/home/dev/.codex/config.toml": CORP },
      first: [],
      own: args.toSpliced(at, 0, "-c", 'model_providers.corp.base_url="http://guard/https://corp.example/v1"'),
    }),
  ),
  {
    name: "Codex with a base URL by an argument, behind which ours stands",
    agent: "codex",
    args: ["-c", 'openai_base_url="https://mine.example/v1"', "--", "-c", "no option"],
    own: [
      "-c",
      'openai_base_url="https://mine.example/v1"',
      "-c",
      'openai_base_url="http://guard/https://mine.example/v1"',
      "--",
      "-c",
      "no option",
    ],
  },
  ...[
    { name: "of its file", args: ["--profile", "work"], extra: '[profiles.work]\nmodel_provider = "corp"\n' },
    {
      name: "that its file asks for",
      args: [],
      extra: '[profiles.work]\nmodel_provider = "corp"\n',
      top: 'profile = "work"\n',
    },
    { name: "in a file of its own", args: ["-p", "work"], file: 'model_provider = "corp"\n' },
  ].map(
    ({ name, args, extra = "", top = "", file = "" }): Row => ({
      name: `Codex with a profile ${name}`,
      agent: "codex",
      args,
      files: { "/home/dev/.codex/config.toml": top + CORP + extra, "/home/dev/.codex/work.config.toml": file },
      first: ["-c", 'model_providers.corp.base_url="http://guard/https://corp.example/v1"'],
    }),
  ),
  {
    name: "Codex with an account in place of a key",
    agent: "codex",
    files: { "/home/dev/.codex/auth.json": '{"tokens":{"access_token":"t"}}' },
    first: ["-c", 'openai_base_url="http://guard/https://chatgpt.com/backend-api/codex"'],
  },
  {
    name: "Codex with a key in spite of its account",
    agent: "codex",
    env: { CODEX_API_KEY: "k", CODEX_HOME: "/etc/codex" },
    files: { "/etc/codex/auth.json": '{"tokens":{"access_token":"t"}}' },
    first: ["-c", 'openai_base_url="http://guard/https://api.openai.com/v1"'],
  },
  {
    name: "Codex whose file cannot be read",
    agent: "codex",
    files: { "/home/dev/.codex/config.toml": "= nonsense" },
    first: ["-c", 'openai_base_url="http://guard/https://api.openai.com/v1"'],
  },
  {
    name: "Qwen Code by its argument",
    agent: "qwen-code",
    env: { OPENAI_BASE_URL: "https://dashscope.example/v1" },
    environment: {
      OPENAI_BASE_URL: "http://guard/https://dashscope.example/v1",
      OPENAI_API_BASE: "http://guard/https://dashscope.example/v1",
      ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com",
    },
    first: ["--openai-base-url", "http://guard/https://dashscope.example/v1"],
  },
  {
    name: "Qwen Code told by its user",
    agent: "qwen",
    args: ["-p", "hi", "--openai-base-url", "https://mine.example/v1"],
    first: [],
    own: ["-p", "hi", "--openai-base-url", "http://guard/https://mine.example/v1"],
  },
  {
    name: "Qwen Code told by its user in one word",
    agent: "qwen",
    args: ["--openaiBaseUrl=https://mine.example/v1"],
    own: ["--openaiBaseUrl=http://guard/https://mine.example/v1"],
  },
  {
    name: "Qwen Code behind the gateway in its settings",
    agent: "qwen",
    files: {
      "/home/dev/.qwen/settings.json": '{"security":{"auth":{"baseUrl":"https://gateway.example/v1"}}} // mine',
    },
    first: ["--openai-base-url", "http://guard/https://gateway.example/v1"],
    changes: [],
  },
  {
    name: "Qwen Code behind the gateway of its .env file, which goes before its settings",
    agent: "qwen",
    files: {
      "/home/dev/.qwen/settings.json": '{"security":{"auth":{"baseUrl":"https://gateway.example/v1"}}}',
      "/home/dev/proj/.qwen/.env": "OPENAI_API_KEY=k\n",
      "/home/dev/.qwen/.env": "OPENAI_BASE_URL=https://env.example/v1\n",
    },
    first: ["--openai-base-url", "http://guard/https://env.example/v1"],
  },
  {
    name: "Qwen Code behind the variable in its settings",
    agent: "qwen",
    env: { QWEN_HOME: "/etc/qwen" },
    files: { "/etc/qwen/settings.json": '{"env":{"OPENAI_BASE_URL":"https://gateway.example/v1"}}' },
    first: ["--openai-base-url", "http://guard/https://gateway.example/v1"],
  },
  {
    name: "Qwen Code in Anthropic's format, whose base URL is that of the argument, too",
    agent: "qwen",
    files: {
      "/home/dev/proj/.qwen/settings.json":
        '{"security":{"auth":{"selectedType":"anthropic","baseUrl":"https://claude.example"}}}',
    },
    environment: {
      OPENAI_BASE_URL: "http://guard/https://api.openai.com/v1",
      OPENAI_API_BASE: "http://guard/https://api.openai.com/v1",
      ANTHROPIC_BASE_URL: "http://guard/https://claude.example",
    },
    first: ["--openai-base-url", "http://guard/https://claude.example"],
  },
  {
    name: "Qwen Code by each of its own models, and the one in use",
    agent: "qwen",
    files: {
      "/home/dev/.qwen/settings.json": JSON.stringify({
        modelProviders: { openai: [{ id: "a", baseUrl: "https://a.example/v1" }, { id: "b" }] },
        model: { name: "a", baseUrl: "https://a.example/v1" },
      }),
    },
    changes: [
      ["modelProviders/openai/0/baseUrl", "http://guard/https://a.example/v1"],
      ["model/baseUrl", "http://guard/https://a.example/v1"],
    ],
  },
  ...[
    { name: "aider by its variables", base: "https://api.openai.com/v1" },
    {
      name: "aider behind the gateway of an SDK's variable",
      env: { OPENAI_API_BASE: "https://corp.example/v1" },
      base: "https://corp.example/v1",
    },
    {
      name: "aider with a configuration file before that",
      env: { OPENAI_API_BASE: "https://corp.example/v1" },
      files: { "/home/dev/.aider.conf.yml": "openai-api-base: https://file.example/v1 # mine\n" },
      base: "https://file.example/v1",
    },
    {
      name: "aider with its repository's file before that of the home folder",
      files: {
        "/home/dev/.aider.conf.yml": "openai-api-base: https://file.example/v1\n",
        "/home/dev/proj/.git/HEAD": "ref: refs/heads/main\n",
        "/home/dev/proj/.aider.conf.yml": "openai-api-base: https://project.example/v1\n",
      },
      base: "https://project.example/v1",
    },
    {
      name: "aider with its own variable before all",
      env: { AIDER_OPENAI_API_BASE: "https://own.example/v1" },
      files: { "/home/dev/.aider.conf.yml": "openai-api-base: https://file.example/v1\n" },
      base: "https://own.example/v1",
    },
    {
      name: "aider whose file cannot be read",
      files: { "/home/dev/.aider.conf.yml": "[: nonsense" },
      base: "https://api.openai.com/v1",
    },
  ].map(
    ({ base, ...row }): Row => ({
      ...row,
      agent: "aider",
      environment: {
        AIDER_OPENAI_API_BASE: `http://guard/${base}`,
        OPENAI_API_BASE: `http://guard/${base}`,
        OPENAI_BASE_URL: `http://guard/${base}`,
        ANTHROPIC_API_BASE: "http://guard/https://api.anthropic.com",
        ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com",
      },
    }),
  ),
  {
    name: "goose by hosts without a version",
    agent: "goose",
    environment: {
      OPENAI_HOST: "http://guard/https://api.openai.com",
      ANTHROPIC_HOST: "http://guard/https://api.anthropic.com",
    },
  },
  {
    name: "cline by its provider file",
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
    environment: { CLINE_PROVIDER_SETTINGS_PATH: "/tmp/own/providers.json" },
    changes: [
      ["providers/openai/settings/baseUrl", "http://guard/https://corp.example/v1"],
      ["providers/anthropic/settings/baseUrl", "http://guard/https://api.anthropic.com"],
    ],
  },
  { name: "cline without a provider file", agent: "cline", changes: [] },
  {
    name: "Continue by each of its models",
    agent: "cn",
    files: {
      "/home/dev/.continue/config.yaml":
        "models:\n  - provider: openai\n    apiBase: https://corp.example/v1\n  - provider: anthropic\n  - provider: other\n",
    },
    changes: [
      ["models/0/apiBase", "http://guard/https://corp.example/v1"],
      ["models/1/apiBase", "http://guard/https://api.anthropic.com/v1"],
    ],
  },
  {
    name: "Continue with another configuration file",
    agent: "continue",
    args: ["--config", "/tmp/other.yaml"],
    files: { "/tmp/other.yaml": "models:\n  - provider: openai\n" },
    own: ["--config", "/tmp/own/other.yaml"],
    changes: [["models/0/apiBase", "http://guard/https://api.openai.com/v1"]],
  },
  {
    name: "any command behind the gateway that one of them names",
    agent: "",
    env: { OPENAI_BASE_URL: "https://corp.example/v1" },
    environment: {
      OPENAI_BASE_URL: "http://guard/https://corp.example/v1",
      OPENAI_API_BASE: "http://guard/https://corp.example/v1",
      ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com",
      ANTHROPIC_API_BASE: "http://guard/https://api.anthropic.com",
      ANTHROPIC_VERTEX_BASE_URL: "http://guard/v1",
      GOOGLE_GEMINI_BASE_URL: "http://guard/https://generativelanguage.googleapis.com",
      GOOGLE_VERTEX_BASE_URL: "http://guard",
      LITELLM_API_BASE: "http://guard/https://corp.example/v1",
      OLLAMA_HOST: "http://guard/http://127.0.0.1:11434",
    },
  },
  {
    name: "any command by the variables of SDKs",
    agent: "",
    environment: {
      OPENAI_BASE_URL: "http://guard/https://api.openai.com/v1",
      OPENAI_API_BASE: "http://guard/https://api.openai.com/v1",
      ANTHROPIC_BASE_URL: "http://guard/https://api.anthropic.com",
      ANTHROPIC_API_BASE: "http://guard/https://api.anthropic.com",
      ANTHROPIC_VERTEX_BASE_URL: "http://guard/v1",
      GOOGLE_GEMINI_BASE_URL: "http://guard/https://generativelanguage.googleapis.com",
      GOOGLE_VERTEX_BASE_URL: "http://guard",
      LITELLM_API_BASE: "http://guard/https://api.openai.com/v1",
      OLLAMA_HOST: "http://guard/http://127.0.0.1:11434",
    },
  },
];

describe("an agent is pointed at the guard", () => {
  it.each(rows)("$name", (row) => {
    const wiring = wiringOf(row);
    if (row.environment !== undefined) expect(wiring?.environment).toEqual(row.environment);
    if (row.first !== undefined) expect(wiring?.args).toEqual(row.first);
    if (row.own !== undefined) expect(wiring?.own).toEqual(row.own);
    const [copy] = wiring?.copies ?? [];
    const changes = (row.changes ?? []).map(([at]) => [at, valueAt(parse(copy?.text ?? ""), at)]);
    expect(changes).toEqual(row.changes ?? []);
  });

  it.each([
    ["", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":8080", "http://127.0.0.1:8080"],
    ["gpu", "http://gpu:11434"],
    ["gpu:80/models", "http://gpu:80/models"],
    ["[::]:8080", "http://127.0.0.1:8080"],
    ["[::1]", "http://[::1]:11434"],
    ["http://gpu", "http://gpu"],
    ["https://gpu.example:8443/x", "https://gpu.example:8443/x"],
  ])("any command by OLLAMA_HOST=%s", (OLLAMA_HOST, url) => {
    const wiring = wiringOf({ name: "", agent: "", env: { OLLAMA_HOST } });
    expect(wiring?.environment.OLLAMA_HOST).toBe(`http://guard/${url}`);
  });

  it("opencode without files above the repository, which it does not read", () => {
    const corp = (host: string) => `{"provider":{"corp":{"options":{"baseURL":"https://${host}"}}}}`;
    const basesWith = (files: Readonly<Record<string, string>>) =>
      Object.keys(
        JSON.parse(wiringOf({ name: "", agent: "opencode", files })?.environment.OPENCODE_CONFIG_CONTENT ?? "")
          .provider,
      );
    const above = { "/home/opencode.json": corp("stranger.example") };
    const usual = ["openai", "anthropic"];
    expect(basesWith(above)).toEqual([...usual, "corp"]);
    expect(basesWith({ ...above, "/home/dev/.git/HEAD": "ref: refs/heads/main" })).toEqual(usual);
    expect(basesWith({ ...above, "/home/dev/proj/.git": "gitdir: /elsewhere" })).toEqual(usual);
    expect(basesWith({ "/home/dev/opencode.json": corp("own.example"), "/home/dev/.git/HEAD": "ref" })).toEqual([
      ...usual,
      "corp",
    ]);
  });

  it("opencode by configuration that is merged over all of its files", () => {
    const wiring = wiringOf({
      name: "",
      agent: "opencode",
      env: { OPENCODE_CONFIG_CONTENT: '{"model":"x","provider":{"openai":{"options":{"timeout":9}}}}' },
      files: {
        "/home/dev/.config/opencode/opencode.json":
          '{"provider":{"corp":{"options":{"baseURL":"https://user.example"}}}}',
        "/home/dev/proj/opencode.jsonc":
          '{"provider":{"corp":{"options":{"baseURL":"https://project.example"}}}} // mine',
      },
    });
    expect(JSON.parse(wiring?.environment.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      model: "x",
      provider: {
        openai: { options: { timeout: 9, baseURL: "http://guard/https://api.openai.com/v1" } },
        anthropic: { options: { baseURL: "http://guard/https://api.anthropic.com/v1" } },
        corp: { options: { baseURL: "http://guard/https://project.example" } },
      },
    });
  });

  it("every agent by something", () => {
    const env = { HOME: "/home/dev" };
    const silent = agents.filter((agent) => {
      const { environment, args } = agent.wire(
        { env, args: [], home: "/", cwd: "/", scratch: "/tmp/own", read: () => undefined },
        through,
      );
      return Object.keys(environment).length + args.length === 0;
    });
    // These have a file of their own, or nothing to ask.
    expect(silent.map(({ name }) => name)).toEqual(["cline", "continue"]);
  });
});
