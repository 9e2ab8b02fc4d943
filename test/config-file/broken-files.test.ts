import { describe, expect, it } from "vitest";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configure } from "../../src/config-file/configured.ts";

const hash = "a".repeat(64);

/** Every mistake as `line:column message`. */
function mistakes(text: string): readonly string[] {
  const read = readConfigFile(text);
  return "problems" in read ? read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

describe("a configuration file with a mistake is refused with its place and the cure", () => {
  it.each([
    { name: "no YAML", text: "rules: [", says: "1:9 A list or mapping in brackets must end with ]" },
    { name: "a name twice", text: "mode: off\nmode: observe", says: "2:1 This name stands twice in one mapping" },
    { name: "tabs", text: "limits:\n\tmaxSessions: 1", says: "2:" },
    { name: "a text alone", text: "hello", says: "1:1 The file must be a mapping of names to values" },
    {
      name: "a secret in the place of a configuration",
      text: "5dd6c2e9f0a1b3c4",
      says: "1:1 The file must be a mapping of names to values, such as `policy: default`.",
    },
    {
      name: "bytes",
      text: "mode: !!binary aGk=",
      says: "1:7 A tag (!name) means nothing here; write the value without a tag.",
    },
    { name: "a tag of its own", text: "!mine {mode: off}", says: "1:1 A tag (!name) means nothing here" },
    { name: "nothing", text: "", says: "1:1 The file is empty; a file that is to change nothing says {}." },
    { name: "comments alone", text: "# nothing yet\n", says: "1:1 The file is empty; a file that" },
    { name: "null", text: "---\n~\n...\n", says: "The file is empty; a file that" },
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
      says: '1:1 policy is "dfault", which is not a policy; did you mean "default"?',
    },
    {
      name: "an unknown policy in a rule",
      text: "rules:\n  - name: a\n    policy: web",
      says: '3:5 rules[0].policy is not a policy; there are "default"',
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
      says: "3:5 rules[1].name is that of an earlier one",
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
      says: '4:7 policies.*.ladders has no "repeated-cal"; did you mean "repeated-call"?',
    },
    {
      name: "a ladder of texts",
      text: 'policies:\n  a: { ladders: { call-cycle: { nudge: "3" } } }',
      says: "policies.*.ladders.call-cycle.nudge must be a whole number of at least 1, not a text; write the digits alone.",
    },
    {
      name: "a policy that extends none",
      text: "policies:\n  a: { extends: b }",
      says: "2:8 policies.*.extends must be one of",
    },
    {
      name: "policies in a circle",
      text: "policies:\n  a: { extends: b }\n  b: { extends: a }",
      says: "policies.*.extends goes in a circle: no policy may extend itself.",
    },
    { name: "a preset's name", text: "policies:\n  default: {}", says: "2:3 policies.* is a preset's name" },
    {
      name: "costs without prices",
      text: "policies:\n  a: { budget: { cost: 1 } }",
      says: 'policies.* limits the cost, so it must also say "prices".',
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
      says: "clients[1].sha256 is that of an earlier client or token",
    },
    {
      name: "a key in the file",
      text: `clients:\n  - { name: a, tenant: t, sha256: ${hash}, upstreamKey: sk-1 }`,
      says: "clients[0].upstreamKey must be { env: NAME } or { file: PATH }",
    },
    {
      name: "a secret from nowhere",
      text: `clients:\n  - { name: a, tenant: t, sha256: ${hash}, upstreamKey: {} }`,
      says: "upstreamKey must be { env: NAME } or { file: PATH }: where the secret stands.",
    },
    {
      name: "a token without a secret",
      text: "admin: { tokens: [{ name: a, role: read }] }",
      says: 'admin.tokens[0] must say one of "sha256", "env", "file" and "group"',
    },
    {
      name: "a proxy's address that there is not",
      text: "admin: { proxies: [10.0.0.999] }",
      says: "admin.proxies[0] must be an IP address, or a network",
    },
    {
      name: "a network with more bits than addresses have",
      text: "admin: { proxies: [10.0.0.0/33] }",
      says: "admin.proxies[0] must be an IP address, or a network",
    },
    {
      name: "an unknown role",
      text: `admin: { tokens: [{ name: a, role: admin, sha256: ${hash} }] }`,
      says: 'role must be one of "metrics", "read", "operate", not a text.',
    },
    {
      name: "an alert that goes nowhere",
      text: "alerts: [{ name: a }]",
      says: "alerts[0].url must be a whole http or https URL, or { env: NAME } or { file: PATH }",
    },
    {
      name: "an alert's signing key in the file",
      text: "alerts: [{ name: a, url: 'https://x.example', secret: 0123456789abcdef }]",
      says: "alerts[0].secret must be { env: NAME } or { file: PATH }",
    },
    {
      name: "an unknown occasion",
      text: "alerts: [{ name: a, url: 'https://x.example', on: [short-circut] }]",
      says: 'alerts[0].on[0] must be one of "observe", "nudge", "force-done", "short-circuit", "cut", not "short-circut"; did you mean "short-circuit"?',
    },
    {
      name: "an unknown detector",
      text: "alerts:\n  - name: a\n    url: https://x.example\n    detectors: [call-cycle, repeated-cal]",
      says: 'alerts[0].detectors[1] is "repeated-cal", which is not a detector; did you mean "repeated-call"?',
    },
    {
      name: "a filter by a rule that there is not",
      text: "rules: [{ name: team }]\nalerts: [{ name: a, url: 'https://x.example', rules: [teem] }]",
      says: 'alerts[0].rules[0] is "teem", which is not a rule; did you mean "team"?',
    },
    {
      name: "a filter by a tenant without client keys",
      text: "alerts: [{ name: a, url: 'https://x.example', tenants: [t] }]",
      says: "alerts[0].tenants[0] is not a tenant of a client key; name one that there is.",
    },
    {
      name: "an alert's name twice",
      text: "alerts: [{ name: a, url: 'https://x.example' }, { name: a, url: 'https://y.example' }]",
      says: "alerts[1].name is that of an earlier one",
    },
    {
      name: "a name that resembles none",
      text: "policies: { a: { detectors: { repeated-call: { colours: {} } } } }",
      says: '1:48 policies.*.detectors.repeated-call has a name that is not known; there are "',
    },
    {
      name: "an unknown limit",
      text: "limits: { maxBody: 1 }",
      says: '1:11 limits has a name that is not known; did you mean "maxBodyBytes"?',
    },
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

  it("all mistakes of a file are named at once, in the file's order", () => {
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

describe("what a file only names", () => {
  const put = (text: string, secrets: Readonly<Record<string, string>> = {}) => {
    const read = readConfigFile(text);
    if ("problems" in read) throw new Error(read.problems[0]?.message);
    const settings = { mode: "enforce", policy: "default" } as const;
    const sources = { env: {}, readFile: (path: string) => secrets[path], sha256: (given: string) => given };
    const made = configure(read.file, settings, sources);
    return "problems" in made ? made.problems.map(({ message }) => message) : made;
  };

  it.each([
    {
      name: "an alert's address that is not there",
      text: "alerts: [{ name: a, url: { file: /none } }]",
      says: ["alerts[0].url stands in a file that is empty or not there."],
    },
    {
      name: "an address that is none",
      text: "alerts: [{ name: a, url: hooks.example }]",
      says: ["alerts[0].url must be a whole http or https URL without user name and password."],
    },
    {
      name: "a password or a key in an upstream",
      text: "upstreams: { /a: 'https://user:secret@api.example', /b: 'https://api.example/v1?key=secret' }",
      says: [
        "upstreams.* must end with its path, without user name and password.",
        "upstreams.* must end with its path, without user name and password.",
      ],
    },
    {
      name: "a password in an address",
      text: "alerts: [{ name: a, url: 'https://user:secret@hooks.example' }]",
      says: ["alerts[0].url must be a whole http or https URL without user name and password."],
    },
    {
      name: "a secret that can be guessed",
      text: "alerts: [{ name: a, url: 'https://hooks.example', secret: { file: /short } }]",
      says: ["alerts[0].secret must have at least 16 characters, not 3."],
    },
  ])("$name is told without the secret", ({ text, says }) => expect(put(text, { "/short": "abc" })).toEqual(says));

  it("is put in its place", () => {
    const text = "alerts: [{ name: a, url: { file: /url }, secret: { file: /key }, on: [cut] }]";
    const made = put(text, { "/url": "https://hooks.example/T0?key=1\n", "/key": "0123456789abcdef\n" });
    expect(made).toMatchObject({
      alerts: [{ name: "a", url: new URL("https://hooks.example/T0?key=1"), secret: "0123456789abcdef", on: ["cut"] }],
    });
  });
});

describe("a configuration file without a mistake", () => {
  it.each([
    { name: "one that is to change nothing", text: "{}" },
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
