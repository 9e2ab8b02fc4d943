import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Flags, readSettings, settingNames, settingsTable } from "../../src/config/config.ts";
import { UnloopError } from "../../src/errors.ts";
import { globMatcher } from "../../src/text/glob.ts";
import { type RequestFacts, rolloutArm, type RuleConditions, ruleset } from "../../src/config/rules.ts";
import { preset } from "../support/builders/detection.ts";

function complaint(env: Record<string, string | undefined>, flags: Flags = {}): string {
  try {
    readSettings(env, flags);
  } catch (error) {
    if (error instanceof UnloopError && error.code === "bad_setting") return error.message;
    throw error;
  }
  return "no complaint";
}

const refused = Object.entries<string>(parse(readFileSync("test/fixtures/config/refused.yaml", "utf8")));

describe("settings", () => {
  it("are at most 36, and none has to be set", () => {
    expect(settingNames.length).toBeLessThanOrEqual(36);
    const standard = Object.fromEntries(
      settingNames.map((name) => [name, "standard" in settingsTable[name] ? settingsTable[name].standard : undefined]),
    );
    expect(readSettings({ UNLOOP_PORT: "", UNLOOP_SECRET: "" })).toEqual(standard);
  });

  it("are read from the environment by their kind", () => {
    const read: readonly (readonly [variable: string, text: string, name: string, value: unknown])[] = [
      ["UNLOOP_UPSTREAM", "http://h:9000/prefix/v1/", "upstream", new URL("http://h:9000/prefix/v1/")],
      [
        "UNLOOP_UPSTREAMS",
        "/g=https://g.com/x, /=http://h",
        "upstreams",
        { "/g": new URL("https://g.com/x"), "/": new URL("http://h") },
      ],
      ["UNLOOP_HOST", "::", "host", "::"],
      ["UNLOOP_PORT", "0", "port", 0],
      ["UNLOOP_MODE", "observe", "mode", "observe"],
      ["UNLOOP_POLICY", '{"extends":"default"}', "policy", '{"extends":"default"}'],
      ["UNLOOP_SECRET", "0123456789abcdef", "secret", "0123456789abcdef"],
      ["UNLOOP_TENANT_HEADER", "X-Team-Id", "tenantHeader", "x-team-id"],
      ["REDIS_URL", "redis://127.0.0.1", "redisUrl", "redis://127.0.0.1"],
      ["UNLOOP_ADMIN", "[::1]:8788", "admin", { host: "::1", port: 8788 }],
      ["UNLOOP_AUDIT", "audit.jsonl", "audit", "audit.jsonl"],
    ];
    const env = Object.fromEntries(read.map(([variable, text]) => [variable, text]));
    const settings = Object.fromEntries(read.map(([, , name, value]) => [name, value]));
    expect(readSettings({ ...env, PATH: "/bin", UNLOOP_DATA: "/data" })).toMatchObject(settings);
  });

  it("are laid over each other: a flag over a variable, a variable over the file, the file over the default", () => {
    const file = { mode: "off", drainMs: 1, policy: "mine" } as const;
    const settings = readSettings(
      { UNLOOP_PORT: "1", UNLOOP_MODE: "enforce" },
      { port: "2", mode: "observe" },
      { file, policies: ["mine"] },
    );
    expect(settings).toMatchObject({ port: 2, mode: "observe", drainMs: 1, policy: "mine", host: "127.0.0.1" });
    expect(readSettings({ UNLOOP_DRAIN_MS: "5", UNLOOP_POLICY: "default" }, {}, { file })).toMatchObject({
      mode: "off",
      drainMs: 5,
    });
  });

  it.each(refused)("are refused with the cure, and without what may be a secret: %s", (line, message) => {
    const [, variable = "", text] = /^(\w+)=(.*)$/.exec(line) ?? [];
    expect(complaint({ [variable]: text })).toContain(message);
    expect(complaint({ [variable]: text })).not.toMatch(/sk-123|short-secret/);
  });

  it("name the flag where that is what was wrong, in the same words, and every mistake at once", () => {
    expect(complaint({ UNLOOP_MODE: "off", UNLOOP_PORTS: "1" }, { mode: "observ", port: "x" }).split("\n")).toEqual([
      "UNLOOP_PORTS is not a setting of Unloop; did you mean UNLOOP_PORT?",
      "--port must be a whole number from 0 to 65535, not a text; write the digits alone.",
      '--mode must be one of "enforce", "observe", "off", not "observ"; did you mean "observe"?',
    ]);
  });
});

const standard = { rule: undefined, mode: "observe", policy: preset("default"), rollout: undefined } as const;
const rule = (name: string, when: RuleConditions) => ({ name, when, terms: { ...standard, rule: name } });
const facts = (more: Partial<RequestFacts> & { headers?: Record<string, string> } = {}): RequestFacts => ({
  path: "/v1/chat/completions",
  header: (name) => more.headers?.[name],
  tenant: undefined,
  client: undefined,
  ...more,
});

function chosen(when: RuleConditions, asked: RequestFacts, model = "gpt-5-mini"): boolean {
  const choice = ruleset([rule("r", when)], standard).choose(asked);
  const terms = "terms" in choice ? choice.terms : choice.byModel(model);
  const explained = ruleset([rule("r", when)], standard).explain(asked, model);
  expect(explained.terms).toBe(explained.considered[0]?.matched ? explained.terms : standard);
  expect(explained.terms.rule).toBe(terms.rule);
  return terms.rule === "r";
}

describe("a rule", () => {
  const headers = (fields: Record<string, string>) => facts({ headers: fields });

  it.each<[string, RuleConditions, RequestFacts, boolean]>([
    ["without conditions takes all", {}, facts(), true],
    ["by path", { path: "/team" }, facts({ path: "/team/v1" }), true],
    ["by header", { header: { "X-Team": "a*" } }, headers({ "x-team": "Alpha" }), true],
    ["by tenant", { tenant: ["a", "b"] }, facts({ tenant: "b" }), true],
    ["by agent", { agent: "claude-cli" }, headers({ "user-agent": "claude-cli/2.1 (x)" }), true],
    ["by the agent's own name", { agent: "a" }, headers({ "user-agent": "OpenAI/JS", "x-unloop-agent": "a" }), true],
    ["by user agent", { agent: "*python*" }, headers({ "user-agent": "OpenAI/Python 2" }), true],
    ["by model", { model: "gpt-*" }, facts(), true],
    ["by all of its conditions", { model: "gpt-*", tenant: "a" }, facts({ tenant: "b" }), false],
  ])("%s", (_, when, asked, matches) => expect(chosen(when, asked)).toBe(matches));

  it("that comes first wins, also where a later one does not wait for the model", () => {
    const rules = ruleset([rule("o", { model: "o*" }), rule("gpt", { model: "gpt*" }), rule("rest", {})], standard);
    const choice = rules.choose(facts());
    if (!("byModel" in choice)) throw new Error("the model decides");
    expect(["o3", "gpt-5", "claude", ""].map((model) => choice.byModel(model).rule)).toEqual([
      "o",
      "gpt",
      "rest",
      "rest",
    ]);
  });

  it("is explained by the condition that decided", () => {
    const rules = ruleset([rule("a", { tenant: "x" }), rule("b", { model: "gpt*" })], standard);
    expect(rules.explain(facts(), "gpt-5").considered).toEqual([
      { rule: "a", matched: false, because: "not tenant x" },
      { rule: "b", matched: true, because: "model gpt*" },
    ]);
  });
});

it.each([
  ["*", "", true],
  ["a*c", "abc", true],
  ["a*b*c", "a-c-b-c", true],
  ["GPT-5", "gpt-5", true],
  [`${"*a".repeat(50)}*b`, "a".repeat(5_000), false],
])("the pattern %s takes %s: %s", (pattern, text, matches) => expect(globMatcher(pattern)(text)).toBe(matches));

const sessions = Array.from({ length: 4_000 }, (_, i) => `session-${i}`);
const enforced = (percent: number, rollout = "r") =>
  sessions.filter((one) => rolloutArm(one, rollout, percent) === "enforced");

it("a rollout enforces its share of sessions, and keeps those that are enforced as it grows", () => {
  for (const percent of [0, 25, 100])
    expect(Math.abs(enforced(percent).length / sessions.length - percent / 100)).toBeLessThan(0.03);
  const larger = new Set(enforced(60));
  expect(enforced(30).every((one) => larger.has(one))).toBe(true);
});
