import { describe, expect, it } from "vitest";
import { readConfigFile } from "../../src/config-file/config-file.ts";

const hash = "a".repeat(64);

/** Every mistake as `line:column message`. */
function mistakes(text: string): readonly string[] {
  const read = readConfigFile(text);
  return "problems" in read ? read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

describe("a configuration file with a mistake is refused with its place and the cure", () => {
  it.each([
    { name: "no YAML", text: "rules: [", says: "1:9 Flow sequence in block collection must be" },
    { name: "a name twice", text: "mode: off\nmode: observe", says: "2:1 Map keys must be unique" },
    { name: "tabs", text: "limits:\n\tmaxSessions: 1", says: "2:" },
    { name: "a text alone", text: "hello", says: "1:1 The file must be a mapping of names to values" },
    { name: "a list", text: "- mode: off", says: "1:1 The file must be a mapping of names to values" },
    { name: "an unknown name", text: "\npolcy: default", says: '2:1 The file has no "polcy"; did you mean "policy"?' },
    {
      name: "an unknown mode",
      text: "mode: enfroce",
      says: 'mode must be one of "enforce", "observe", "off", not "enfroce"; did you mean "enforce"?',
    },
    { name: "a mode that is no text", text: "mode: true", says: "mode must be one of" },
    {
      name: "an unknown policy",
      text: "policy: dfault",
      says: '1:1 policy is "dfault", which is no policy; did you mean "default"?',
    },
    {
      name: "an unknown policy in a rule",
      text: "rules:\n  - name: a\n    policy: web",
      says: '3:5 rules[0].policy is "web", which is no policy',
    },
    {
      name: "a misspelt condition",
      text: "rules:\n  - name: a\n    when: { modell: x }",
      says: '3:13 rules[0].when has no "modell"; did you mean "model"?',
    },
    { name: "a rule without a name", text: "rules:\n  - policy: default", says: "2:5 rules[0].name is missing." },
    {
      name: "a rule's name twice",
      text: "rules:\n  - { name: a, when: { path: /a } }\n  - name: a",
      says: '3:5 rules[1].name is "a" a second time',
    },
    {
      name: "a rule that is never reached",
      text: "rules:\n  - name: all\n  - name: late",
      says: "3:5 rules[1] is never reached",
    },
    {
      name: "a path without a slash",
      text: "rules:\n  - { name: a, when: { path: team } }",
      says: "rules[0].when.path must be the beginning of a path",
    },
    {
      name: "an empty pattern",
      text: 'rules:\n  - { name: a, when: { agent: "" } }',
      says: "rules[0].when.agent[0] must not be empty.",
    },
    { name: "more than all", text: "rollout: 120", says: "1:1 rollout must be at most 100, not 120." },
    {
      name: "a rollout that observes",
      text: "mode: observe\nrollout: 50",
      says: "2:1 rollout has no effect in mode observe",
    },
    {
      name: "an unknown detector",
      text: "policies:\n  a:\n    ladders:\n      repeated-cal: off",
      says: '4:7 policies.a.ladders has no "repeated-cal"; did you mean "repeated-call"?',
    },
    {
      name: "a ladder of texts",
      text: 'policies:\n  a: { ladders: { call-cycle: { nudge: "3" } } }',
      says: 'policies.a.ladders.call-cycle.nudge must be a whole number of at least 1, not "3".',
    },
    {
      name: "an old name",
      text: "policies:\n  a: { ending: error }",
      says: 'policies.a has no "ending": it is called "finalResponse" now.',
    },
    {
      name: "a policy that extends none",
      text: "policies:\n  a: { extends: b }",
      says: "2:8 policies.a.extends must be one of",
    },
    {
      name: "policies in a circle",
      text: "policies:\n  a: { extends: b }\n  b: { extends: a }",
      says: "policies.a.extends goes in a circle: a extends b extends a.",
    },
    { name: "a preset's name", text: "policies:\n  default: {}", says: "2:3 policies.default is a preset's name" },
    {
      name: "costs without prices",
      text: "policies:\n  a: { budget: { cost: 1 } }",
      says: 'policies.a limits the cost, so it must also say "prices".',
    },
    {
      name: "a key in place of its hash",
      text: "clients:\n  - { name: a, tenant: t, sha256: sk-1 }",
      says: "clients[0].sha256 must be the SHA-256 of the key",
    },
    {
      name: "a client without a tenant",
      text: `clients:\n  - { name: a, sha256: ${hash} }`,
      says: "clients[0].tenant is missing.",
    },
    {
      name: "one key of two clients",
      text: `clients:\n  - { name: a, tenant: t, sha256: ${hash} }\n  - { name: b, tenant: t, sha256: ${hash} }`,
      says: "clients[1].sha256 is another client's, too",
    },
    {
      name: "a key in the file",
      text: `clients:\n  - { name: a, tenant: t, sha256: ${hash}, upstreamKey: sk-1 }`,
      says: "clients[0].upstreamKey must be a mapping",
    },
    {
      name: "a secret from nowhere",
      text: `clients:\n  - { name: a, tenant: t, sha256: ${hash}, upstreamKey: {} }`,
      says: 'must say either "env" or "file"',
    },
    {
      name: "a token without a secret",
      text: "admin: { tokens: [{ name: a, role: read }] }",
      says: 'admin.tokens[0] must say one of "sha256", "env" and "file"',
    },
    {
      name: "an unknown role",
      text: `admin: { tokens: [{ name: a, role: admin, sha256: ${hash} }] }`,
      says: 'role must be one of "read", "operate", not "admin"',
    },
    { name: "an unknown limit", text: "limits: { maxBody: 1 }", says: '1:11 limits has no "maxBody"; did you mean "' },
    {
      name: "a limit below its bound",
      text: "limits: { maxBodyBytes: 0 }",
      says: "limits.maxBodyBytes must be at least 1, not 0.",
    },
    {
      name: "half a number",
      text: "limits: { maxBodyBytes: 1.5 }",
      says: "limits.maxBodyBytes must be a whole number, not 1.5.",
    },
  ])("$name", ({ text, says }) => {
    const told = mistakes(text);
    expect(told.join("\n")).toContain(says);
    for (const one of told) expect(one).toMatch(/^\d+:\d+ [^\n]+[.?]$/);
  });

  it("all at once, in the order of the file", () => {
    const told = mistakes("mode: of\nrules:\n  - nam: a\nlimits: { drainMs: x }\nrollout: -1");
    expect(told.map((one) => Number(one.split(":")[0]))).toEqual([1, 3, 3, 4, 5]);
  });

  it("holds up nothing, however it is nested", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
      { length: 12 },
      (_, i) =>
        `b${i}: &b${i} [${Array(9)
          .fill(i === 0 ? "*a" : `*b${i - 1}`)
          .join(",")}]`,
    ).join("\n")}`;
    expect(mistakes(bomb).length).toBeGreaterThan(0);
  });
});

describe("a configuration file without a mistake", () => {
  it.each([
    { name: "an empty one", text: "" },
    { name: "comments alone", text: "# nothing yet\n" },
    {
      name: "JSON",
      text: '{"mode": "observe", "rules": [{"name": "a", "when": {"model": ["gpt-*", "o*"]}, "policy": "default"}]}',
    },
  ])("$name is read", ({ text }) => expect(mistakes(text)).toEqual([]));

  it("has policies that extend presets and each other, whatever their order", () => {
    const read = readConfigFile(
      "policies:\n  b: { extends: a, name: bee }\n  a: { ladders: { call-cycle: { nudge: 9 } } }",
    );
    if ("problems" in read) throw new Error(read.problems[0]?.message);
    expect(read.file.policies.get("b")).toMatchObject({
      name: "bee",
      ladders: { "call-cycle": { nudge: 9, "force-done": 4 } },
    });
    expect(read.file.policies.get("a")?.name).toBe("a");
  });
});
