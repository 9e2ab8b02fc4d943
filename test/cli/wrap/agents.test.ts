import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Environment, Through } from "../../../src/cli/wrap/agent.ts";
import { agentNamed, agents, anyCommand } from "../../../src/cli/wrap/agents.ts";

interface Row {
  readonly agent: string;
  readonly env?: Environment;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly first?: readonly string[];
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

const OPENAI = "https://api.openai.com/v1";
const ANTHROPIC = "https://api.anthropic.com";

/** What each agent is told of the guard, by where it keeps its base URL. */
const rows: Readonly<Record<string, Row>> = parse(readFileSync("test/fixtures/wrap/agents.yaml", "utf8"));

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
