import {
  type Agent,
  ANTHROPIC,
  GEMINI,
  ledThrough,
  OLLAMA,
  OPENAI,
  type AgentEnvironment,
  envFiles,
  valueIn,
  type Through,
  VERTEX,
  type Wiring,
} from "./agent.ts";
import { aider, cline, continueCli, opencode } from "./agents/by-files.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { qwen } from "./agents/qwen.ts";

/** Environment variables that hold a base URL, with what an agent uses where they are not set. */
type Variables = Readonly<Record<string, string>>;

const OPENAI_VARIABLES: Variables = { OPENAI_BASE_URL: OPENAI, OPENAI_API_BASE: OPENAI };
const ANTHROPIC_VARIABLES: Variables = { ANTHROPIC_BASE_URL: ANTHROPIC };

/** An agent that is told its base URLs by variables alone. */
function byVariables(name: string, title: string, variables: Variables): Agent {
  return {
    name,
    title,
    command: name,
    wire: (surroundings, through) => wiredBy(variables, surroundings, through),
  };
}

/** One that is not set stands for the same API as its neighbours: by itself it would lead past what they say. */
function wiredBy(variables: Variables, { env }: AgentEnvironment, through: Through): Wiring {
  const entries = Object.entries(variables);
  const neighbour = (usual: string) => entries.find(([name, its]) => its === usual && env[name])?.[0] ?? "";
  const environment = entries.map(([name, usual]) => [
    name,
    ledThrough(through, env[name] || env[neighbour(usual)] || usual),
  ]);
  return { environment: Object.fromEntries(environment), args: [], copies: [] };
}

/** Gemini CLI with a key. Variables of its environment go before those of the one file that it reads. A login leads elsewhere. */
const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  command: "gemini",
  wire(surroundings, through) {
    const { env } = surroundings;
    const [file = ""] = envFiles(surroundings, ".gemini");
    const led = (name: string, usual: string) => [name, ledThrough(through, env[name] || valueIn(file, name) || usual)];
    const environment = [led("GOOGLE_GEMINI_BASE_URL", GEMINI), led("GOOGLE_VERTEX_BASE_URL", VERTEX)];
    return { environment: Object.fromEntries(environment), args: [], copies: [] };
  },
};

/** Any other command: the variables that the SDKs and frameworks read. */
export const anyCommand: Agent = {
  ...byVariables("", "", {}),
  wire({ env, ...rest }, through) {
    const variables = {
      ...OPENAI_VARIABLES,
      ...ANTHROPIC_VARIABLES,
      ANTHROPIC_API_BASE: ANTHROPIC,
      ANTHROPIC_VERTEX_BASE_URL: `${VERTEX}/v1`,
      GOOGLE_GEMINI_BASE_URL: GEMINI,
      GOOGLE_VERTEX_BASE_URL: VERTEX,
      LITELLM_API_BASE: OPENAI,
      OLLAMA_HOST: OLLAMA,
    };
    return wiredBy(variables, { ...rest, env: { ...env, OLLAMA_HOST: ollamaUrl(env.OLLAMA_HOST) } }, through);
  },
};

/** Of a server's variable, which may lack what a URL has, and may name all addresses to listen on. */
function ollamaUrl(host: string | undefined): string | undefined {
  if (!host) return undefined;
  const [, scheme, address = "", port = scheme ? "" : ":11434", path = ""] =
    /^(https?:\/\/)?(\[.*\]|[^:/]*)(:\d+)?(.*)$/.exec(host.trim()) ?? [];
  const isAny = ["", "0.0.0.0", "[::]"].includes(address);
  return `${scheme ?? "http://"}${isAny ? "127.0.0.1" : address}${port}${path}`;
}

/** Every agent that `unloop wrap` knows by name. */
export const agents: readonly Agent[] = [
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  aider,
  cline,
  continueCli,
  byVariables("goose", "goose", { OPENAI_HOST: "https://api.openai.com", ANTHROPIC_HOST: ANTHROPIC }),
];

/** Other names of the same agents. */
const SYNONYMS: Readonly<Record<string, string>> = {
  "claude-code": "claude",
  "gemini-cli": "gemini",
  "qwen-code": "qwen",
  cn: "continue",
};

/** Undefined for an unknown name. */
export function agentNamed(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === (SYNONYMS[name] ?? name));
}
