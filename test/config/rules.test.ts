import { describe, expect, it } from "vitest";
import { globMatcher } from "../../src/text/glob.ts";
import { type RequestFacts, rolloutArm, type RuleConditions, ruleset } from "../../src/config/rules.ts";
import { preset } from "../support/builders/detection.ts";

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

describe("a rollout", () => {
  const sessions = Array.from({ length: 4_000 }, (_, i) => `session-${i}`);
  const enforced = (percent: number, rollout = "r") =>
    sessions.filter((one) => rolloutArm(one, rollout, percent) === "enforced");

  it("enforces its share of sessions, and keeps those that are enforced as it grows", () => {
    for (const percent of [0, 25, 100])
      expect(Math.abs(enforced(percent).length / sessions.length - percent / 100)).toBeLessThan(0.03);
    const larger = new Set(enforced(60));
    expect(enforced(30).every((one) => larger.has(one))).toBe(true);
  });
});
