import { describe, expect, it } from "vitest";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { configure } from "../../src/config-file/configured.ts";

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

/** All mistakes, those that show when the file is put to use included, as `line:column message`. */
function mistakes(text: string): readonly string[] {
  const read = readConfigFile(text);
  const sources = { env: {}, readFile: () => undefined, sha256: (one: string) => one };
  const used = "problems" in read ? read : configure(read.file, { mode: "enforce", policy: "default" }, sources);
  return "problems" in used ? used.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

/** `§` marks the place. */
type Row = readonly [text: string, cure: string];

const notations: readonly Row[] = [
  ["mode: §*standard", "An alias (*name) must stand for what an anchor (&name) before it marks; write that out"],
  ["mode: observe\n§---\nmode: enforce", "remove what begins with ---"],
  ["§$schema: 5", "must be a text"],
  ["mode: observe\n§\tpolicy: default", "replace the tab"],
  ["mode: observe\n§mode: enforce", "remove one of the two"],
  ["policy: §@default", "stands in quotes"],
  ["mode: §!include mode.yaml", "write the value without a tag"],
];

const names: readonly Row[] = [
  [policy("x: 1").replace("a:", "§__proto__:").replace("x: 1", "language: en"), "must have another name"],
  [alert("§tenant: [sales]"), 'has no "tenant"; did you mean "tenants"?'],
  [`${policy("name: b")}\n${alert("policies: [§a]")}`, "is not a policy"],
];

const hidden: readonly Row[] = [
  [rules("{ path: / }", "§{ agent: c }"), "rules[0] before it takes all that it would. Move it up"],
  [rules("{ model: a }", "{ model: b }", "§{ model: [a, b] }"), "rules before it, together, take all"],
  [`${CLIENTS}${rules("{ tenant: research }", "§{ client: ci }")}`, "rules[0] before it takes all"],
  [`${rule("mode: observe")}\n${client("§mode: off")}`, "Say it in a rule before that one"],
  [
    `${CLIENTS}  - { name: x, tenant: t, sha256: ${key("c")}, §policy: web-actions }\n${rules("{ tenant: t }")}`,
    "Say it in",
  ],
  [`§rollout: 10\n${rule("policy: default")}`, "a rule takes all requests. Say it in that rule."],
];

const units: readonly Row[] = [
  ["§rollout: 10%", "must be a number from 0 to 100, not a text; write the digits alone."],
  ["limits: { §drainMs: 30s }", "must be a number of milliseconds, not a text; write the digits alone."],
  ["limits: { §drainMs: 30 }", "a second is 1000"],
  ["limits: { §sessionTtlMs: 3600 }", "a second is 1000"],
  ["limits: { §maxBodyBytes: 16 }", "a megabyte is 1048576"],
  [policy("budget: { §tokens: 1M }"), "write the digits alone"],
  [policy("prices: { gpt-5: { §input: 0.00000125, output: 10 } }"), "write the price of a million tokens"],
  [client("§expires: 2027-02-30"), "must be a day and a time that there are"],
  [client("§requestsPerMinute: 60/min"), "write the digits alone"],
  [rule("when: { header: { §x-shard: 5 } }"), "must be a text in quotes, not a number"],
];

const access: readonly Row[] = [
  [client("§upstreamKey: sk-1"), "must be { env: NAME } or { file: PATH }: where the secret stands"],
  [client("upstreamKey: { §env: sk-proj-1 }"), "must be the name of a variable, without $ and braces"],
  [client("mode: off", EMPTY).replace("sha256", "§sha256"), "`unloop client-key` makes a key"],
  [`${CLIENTS}${admin(token("t", `§sha256: ${key("b")}`))}`, "each needs a key of its own"],
  [admin(`${token("t", `sha256: ${key("a")}`)}, ${token("u", `§sha256: ${key("a")}`)}`), "each needs a key of its own"],
  [admin(token("t", "group: g"), "  proxies: [§0.0.0.0/0]"), "anybody could say who they are. Name the proxy's."],
  ["upstreams: { §/: api.openai.com }", "must be a whole http or https URL"],
];

const all = { notations, names, hidden, units, access };

it("a list on a line of its own is not taken for a section of another notation", () => {
  expect(mistakes("admin:\n  proxies:\n    [oauth2]").join()).toContain("must be an IP address");
});

describe("a mistake is told at its place, once, with its cure", () => {
  it.each(Object.entries(all).flatMap(([kind, rows]) => rows.map((row) => [kind, ...row] as const)))(
    "%s: %j: %s",
    (_, text, cure) => {
      const before = text.slice(0, text.indexOf("§")).split("\n");
      const told = mistakes(text.replace("§", ""));
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/[.?]$/);
      expect(told[0]).toMatch(new RegExp(`^${before.length}:${(before.at(-1) ?? "").length + 1} `));
      expect(told[0]).toContain(cure);
    },
  );
});

it.each([
  ["one byte more than a thousandth", "limits: { drainMs: 31 }"],
  ["none at all", "limits: { drainMs: 0 }"],
  ["a cheap model", policy("prices: { small: { input: 0.01, output: 0.02 } }")],
  ["a leap day", client("expires: 2028-02-29")],
  ["an alias for an anchor before it", "upstreams: { /a: &x https://x.example, /b: *x }"],
  ["a rule for a client behind one for another tenant", `${CLIENTS}${rules("{ tenant: sales }", "{ client: ci }")}`],
])("%s is no mistake", (_, text) => expect(mistakes(text)).toEqual([]));
