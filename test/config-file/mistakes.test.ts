import { describe, expect, it } from "vitest";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configure } from "../../src/config-file/configured.ts";
import { mistakesOf } from "./mistakes-of.ts";

const key = (letter: string) => letter.repeat(64);
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Lines 1 to 3. */
const CLIENTS = `clients:
  - { name: ci, tenant: research, sha256: ${key("a")} }
  - { name: bot-1, tenant: sales, sha256: ${key("b")} }
`;
const rule = (text: string) => `rules:\n  - { name: a, ${text} }`;
const rules = (...whens: readonly string[]) =>
  `rules:\n${whens.map((when, i) => `  - { name: r${i}, when: ${when} }`.replace(/{(.*)§/, "§{$1")).join("\n")}`;
const policy = (text: string) => `policies:\n  a: { ${text} }`;
const client = (text: string, sha256 = key("a")) =>
  `clients:\n  - { name: a, tenant: t, sha256: "${sha256}", ${text} }`;
const alert = (text: string) => `alerts:\n  - { name: a, url: "https://x.example", ${text} }`;
const admin = (tokens: string, proxies = "") => `admin:\n  tokens: [${tokens}]\n${proxies}`;
const token = (name: string, known: string) => `{ name: ${name}, role: read, ${known} }`;

/** `§` marks the place. */
type Row = readonly [text: string, cure: string];

const notations: readonly Row[] = [
  ["mode: §*standard", "An alias (*name) must stand for what an anchor (&name) before it marks; write that out"],
  ["mode: observe\n§---\nmode: enforce", "No YAML: Source contains multiple documents"],
];

const forms: readonly Row[] = [
  ["§hello", "The file must be a mapping of names to values, such as `policy: default`."],
  ["", "The file is empty; a file that is to change nothing says {}."],
  ["\n§polcy: default", 'The file has no "polcy"; did you mean "policy"?'],
  ["§mode: enfroce", 'mode must be one of "enforce", "observe", "off", not "enfroce"; did you mean "enforce"?'],
  ["rules:\n  - name: a\n    §policy: web", 'rules[0].policy is not a policy; there are "default"'],
  [rule("when: { §path: team }"), "rules[0].when.path must be the beginning of a path"],
  [policy("x: 1").replace("a:", "§__proto__:").replace("x: 1", "language: en"), "must have another name"],
  [`${policy("name: b")}\n${alert("policies: [§a]")}`, "is not a policy"],
  ["policies:\n  §default: {}", "policies.* is a preset's name"],
  [client("§upstreamKey: {}"), "upstreamKey must be { env: NAME } or { file: PATH }: where the secret stands."],
  [admin("§{ name: a, role: read }"), 'admin.tokens[0] must say one of "sha256", "env", "file" and "group"'],
  [
    alert("detectors: [call-cycle, §repeated-cal]"),
    'is "repeated-cal", which is not a detector; did you mean "repeated-call"?',
  ],
  [alert("tenants: [§t]"), "alerts[0].tenants[0] is not a tenant of a client key; name one that there is."],
];

const hidden: readonly Row[] = [
  [rules("{ path: / }", "§{ agent: c }"), "rules[0] before it takes all that it would. Move it up"],
  [rules("{ model: 'gpt*' }", "§{ model: ['gpt-4*', gpt-5], agent: a }"), "rules[1] is never reached"],
  [
    `${CLIENTS}${rule("when: { §tenant: reserch }")}`,
    'which is not a tenant of a client key or token; did you mean "research"?',
  ],
  [`${CLIENTS}${rule("when: { §client: 'x*' }")}`, 'when.client is "x*", which is not a client key'],
  ["rollout: 50\nmode: observe".replace("rollout", "§rollout"), "has no effect in mode observe"],
  [
    policy("ladders: { repeated-call: { §nudge: 9 } }"),
    "nudge is 9, and force-done comes at 5 already, so it is passed over",
  ],
  [`${rule("mode: observe")}\n${client("§mode: off")}`, "Say it in a rule before that one"],
  [
    `${CLIENTS}  - { name: x, tenant: t, sha256: ${key("c")}, §policy: web-actions }\n${rules("{ tenant: t }")}`,
    "Say it in",
  ],
  [`§rollout: 10\n${rule("policy: default")}`, "a rule takes all requests. Say it in that rule."],
];

const units: readonly Row[] = [
  ["limits: { §drainMs: 30 }", "a second is 1000"],
  [policy("prices: { gpt-5: { §input: 0.00000125, output: 10 } }"), "write the price of a million tokens"],
  [client("§expires: 2027-02-30"), "must be a day and a time that there are"],
  [rule("when: { header: { §x-shard: 5 } }"), "must be a text in quotes, not a number"],
];

const access: readonly Row[] = [
  [client("upstreamKey: { §env: sk-proj-1 }"), "must be the name of a variable, without $ and braces"],
  [client("mode: off", EMPTY).replace("sha256", "§sha256"), "`unloop keys create` makes a key"],
  [`${CLIENTS}${admin(token("t", `§sha256: ${key("b")}`))}`, "each needs a key of its own"],
  [admin(`${token("t", `sha256: ${key("a")}`)}, ${token("u", `§sha256: ${key("a")}`)}`), "each needs a key of its own"],
  [admin(token("t", "group: g"), "  proxies: [§0.0.0.0/0]"), "anybody could say who they are. Name the proxy's."],
  ["upstreams: { §/a: 'https://user:secret@api.example' }", "must not contain a user name or password"],
];

const policies: readonly Row[] = [
  [policy("ladders: { §cycles: {} }"), 'has a name that is not known; did you mean "call-cycle"?'],
  [policy("§extends: web-action"), 'not "web-action"; did you mean "web-actions"?'],
  [policy("detectors: { repeated-message: { §alike: 80 } }"), "alike must be a number from 0 to 1, not 80."],
  [policy("budget: { §cost: 0 }"), "budget.cost must be more than nothing."],
  [policy("§prices: { '*-mini': { input: 1, output: 1 } }"), "may have a star only at the end"],
  [policy("tools: { a: { fallback: { tool: b, args: { §c: {} } } } }"), "must be a text, a number, true"],
  [policy("wording: { en: { §stopped: 'After {conut}.' } }"), "is not known; did you mean {count}?"],
];

const all = { notations, forms, hidden, units, access, policies };

it.each(Object.entries(all).flatMap(([kind, rows]) => rows.map((row) => [kind, ...row] as const)))(
  "a mistake is told at its place, once, with its cure: %s: %j: %s",
  (_, text, cure) => {
    const before = text.slice(0, text.indexOf("§")).split("\n");
    const told = mistakesOf(text.replace("§", ""));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/[.?]$/);
    expect(told[0]).toMatch(new RegExp(`^${before.length}:${(before.at(-1) ?? "").length + 1} `));
    expect(told[0]).toContain(cure);
  },
);

it.each([
  ["one byte more than a thousandth", "limits: { drainMs: 31 }"],
  ["a cheap model", policy("prices: { small: { input: 0.01, output: 0.02 } }")],
  ["a wider list behind a narrower one", rules("{ model: a }", "{ model: [a, b] }")],
  ["nothing to change", "{}"],
  ["an alias for an anchor before it", "upstreams: { /a: &x https://x.example, /b: *x }"],
  ["a rule for a client behind one for another tenant", `${CLIENTS}${rules("{ tenant: sales }", "{ client: ci }")}`],
])("%s is no mistake", (_, text) => expect(mistakesOf(text)).toEqual([]));

it("all mistakes of a file are named at once, in the file's order", () => {
  const told = mistakesOf("mode: of\nrules:\n  - nam: a\nlimits: { drainMs: x }\nrollout: -1");
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
  expect(mistakesOf(bomb).length).toBeGreaterThan(0);
});

it("has policies that extend presets and each other, whatever their order", () => {
  const text = "policies:\n  b: { extends: a, name: bee }\n  a: { ladders: { call-cycle: { nudge: 4 } } }";
  const { policies } = readConfigFile(text, "");
  expect(policies.get("b")).toMatchObject({
    name: "bee",
    ladders: { "call-cycle": { nudge: 4, "force-done": 4 } },
  });
  expect(policies.get("a")?.name).toBe("a");
});

describe("what a file only names", () => {
  const secrets: Readonly<Record<string, string>> = {
    "/short": "abc",
    "/url": "https://hooks.example/T0?key=1\n",
    "/key": "0123456789abcdef\n",
  };
  const alerts = (text: string) => {
    const file = readConfigFile(`alerts: [{ name: a, ${text} }]`, "f");
    const settings = { mode: "enforce", policy: "default" } as const;
    return configure(file, settings, { env: {}, readFile: (path: string) => secrets[path] }).alerts;
  };

  it.each([
    ["url: { file: /none }", "alerts[0].url stands in a file that is empty or not there."],
    ["url: hooks.example", "alerts[0].url must be a whole http or https URL without user name and password."],
    ["url: 'https://user:secret@hooks.example'", "alerts[0].url must have no user name and password."],
    [
      "url: { file: /url }, secret: { file: /short }",
      "alerts[0].secret must have at least 16 characters, not 3; `openssl rand -hex 32` makes a good one.",
    ],
  ])("is told without the secret: %s", (text, says) => expect(() => alerts(text)).toThrow(says));

  it("is put in its place", () => {
    expect(alerts("url: { file: /url }, secret: { file: /key }, on: [cut]")).toMatchObject([
      { name: "a", url: new URL("https://hooks.example/T0?key=1"), secret: "0123456789abcdef", on: ["cut"] },
    ]);
  });
});
