import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadSettings, watchFiles } from "../../src/config-file/config-file.ts";
import { newFolder } from "../support/servers/of-test.ts";

const file = (nudge: number, note = "") => `${note}
policies:
  calm: { extends: default, ladders: { repeated-call: { nudge: ${nudge} } } }
  strict: { extends: duplicate-calls }
rules:
  - { name: all, when: { model: "*" }, policy: calm }
`;

function reader(flags: Readonly<Record<string, string>> = {}) {
  const config = join(newFolder(), "unloop.yaml");
  return (text: string, before?: ReturnType<typeof loadSettings>) => {
    writeFileSync(config, text);
    return loadSettings({ env: {}, flags: { ...flags, config } }, before?.configured);
  };
}

it("keeps the policies that have not changed when a file is read again, whatever else has", () => {
  const read = reader({ policy: '{"extends":"web-actions"}' });
  const policiesIn = ({ configured }: ReturnType<typeof loadSettings>) => ({
    calm: configured?.policies.get("calm"),
    strict: configured?.policies.get("strict"),
    own: configured?.policy,
  });
  const first = read(file(3));
  const touched = read(file(3, "# the same, said anew"), first);
  const changed = read(file(4), touched);
  const [a, b, c] = [first, touched, changed].map(policiesIn);
  for (const name of ["calm", "strict", "own"] as const) expect(b?.[name]).toBe(a?.[name]);
  expect(c?.strict).toBe(a?.strict);
  expect(c?.calm).not.toBe(a?.calm);
  expect(c?.calm?.ladders["repeated-call"]?.nudge).toBe(4);
});

describe("what is closed stays closed when a file is read again", () => {
  const sha256 = "a".repeat(64);
  const whole = `mode: enforce
upstreams:
  /: http://gateway.example
admin:
  tokens:
    - name: lead
      role: operate
      sha256: ${"b".repeat(64)}
      tenant: research
clients:
  - name: bot
    sha256: ${sha256}
    tenant: research
    models: gpt-5*
    requestsPerMinute: 60
    expires: 2027-01-31
`;
  const token = (more: string) => `admin: { tokens: [{ name: lead, role: read, sha256: ${"c".repeat(64)}${more} }] }`;
  const client = (more: string) => `clients: [{ name: bot, tenant: research, sha256: ${sha256}${more} }]`;
  const rule = (more: string) => `rules: [{ name: all, policy: default${more} }]`;
  const when = (conditions: string) => rule(`, when: { ${conditions} }`);
  const strict = `policies:
  calm: { language: en }
  strict: { extends: calm, prices: { "*": { input: 1, output: 1 } }, budget: { cost: 5, steps: 9 } }`;
  const upstreams = (entries: string) => `upstreams: { ${entries} }`;
  const alert = (more: string) => `${client("")}\nalerts: [{ name: team, url: http://a.example${more} }]`;

  it.each([
    ["client keys", client(""), "{}", "clients", "clients: []"],
    ["admin tokens", token(""), "{}", "admin.tokens", "tokens: []"],
    ["upstreams", "upstreams: { /: http://a.example }", "{}", "upstreams", "upstreams: {}"],
    ["any rule", rule(""), "{}", "rules", "rules: []"],
    ["a rule's mode", rule(", mode: observe"), rule(""), "rules[0].mode", "mode: enforce"],
    ["a rule's rollout", rule(", rollout: 5"), rule(""), "rules[0].rollout", "rollout: 100"],
    ["its own mode", `mode: observe\n${rule("")}`, rule(""), "mode", "mode: enforce"],
    ["its own rollout", "rollout: 5", "{}", "rollout", "rollout: 100"],
    ["a token's tenant", token(", tenant: a"), token(""), "admin.tokens[0].tenant", 'tenant: "*"'],
    ["a key's expiry", client(", expires: 2027-01-31"), client(""), "clients[0].expires", "expires: never"],
    ["a key's models", client(", models: gpt-5*"), client(""), "clients[0].models", 'models: "*"'],
    ["a key's mode", client(", mode: observe"), client(""), "clients[0].mode", "mode: enforce"],
    ["when a rule holds", rule(", when: { path: /a }"), rule(""), "rules[0].when", "when: {}"],
    ["one of a rule's conditions", when("path: /a, model: o3"), when("model: o3"), "rules[0].when.path", "path: /"],
    ["one of its headers", when("header: { a: b, c: d }"), when("header: { a: b }"), "rules[0].when.header.*", "NAME:"],
    ["the policy", `${strict}\npolicy: strict`, strict, "policy", "policy: default"],
    ["a policy's budget", strict, strict.replace(/budget.*/, "language: en }"), "policies.*.budget", "budget: null"],
    ["a limit of it", strict, strict.replace("cost: 5, ", ""), "policies.*.budget.cost", "cost: null"],
    ["what it extends", strict, strict.replace("extends: calm, ", ""), "policies.*.extends", "extends: default"],
    ["one upstream", upstreams("/: http://a.b, /c: http://d.e"), upstreams("/c: http://d.e"), "upstreams.*", "PREFIX:"],
    ["whose alerts are meant", alert(", tenants: [research]"), alert(""), "alerts[0].tenants", 'tenants: ["*"]'],
  ])("a file that no longer says %s is refused, with the word that opens it", (_, first, next, at, open) => {
    const read = reader();
    expect(() => read(next, read(first))).toThrow(`${at} is missing, and narrows what is in force; write \`${open}`);
    expect(() => read(next)).not.toThrow();
  });

  it.each([
    ["an empty list", token(""), "admin: { tokens: [] }"],
    ["all tenants", token(", tenant: a"), token(', tenant: "*"')],
    ["all alerts", alert(", tenants: [research]"), alert(', tenants: ["*"]')],
    ["an upstream that is gone", upstreams("/: http://a.b, /c: http://d.e"), upstreams("/: null, /c: http://d.e")],
    ["no policy of that name", strict, strict.replace("strict:", "other:")],
    ["what was open before", client(", expires: never"), client("")],
    ["a mode that the file sets for all", `mode: observe\n${rule(", mode: observe")}`, `mode: observe\n${rule("")}`],
    ["a key's mode, too", `mode: observe\n${client(", mode: observe")}`, `mode: observe\n${client("")}`],
    ["no share of what only reports", "mode: enforce\nrollout: 10", "mode: observe"],
    ["no share of a rule that only reports", rule(", rollout: 10"), rule(", mode: observe")],
    ["no share of a rule that is off", rule(", rollout: 10"), rule(", mode: off")],
    ["other keys", client(", models: o3"), client("").replace("bot", "other").replaceAll("aaaa", "bbbb")],
  ])("and may be opened by a file that says so: %s", (_, first, next) => {
    const read = reader();
    expect(() => read(next, read(first))).not.toThrow();
  });

  it.each([
    ["enforce", "mode: observe", "{}"],
    ["observe", "mode: observe", "{}"],
    ["observe", rule(", mode: observe"), rule("")],
    ["off", rule(", rollout: 10"), rule("")],
  ])("which a mode that flags set decides: %s", (mode, first, next) => {
    const read = reader({ mode });
    expect(() => read(next, read(first))).not.toThrow();
  });

  it.each([
    ["enforces", `mode: observe\n${rule(", mode: observe")}`, `mode: enforce\n${rule("")}`, "rules[0].mode"],
    ["reads what was off", `mode: observe\n${rule(", mode: off")}`, `mode: observe\n${rule("")}`, "rules[0].mode"],
  ])("and is refused where the mode around it %s", (_, first, next, at) => {
    const read = reader();
    expect(() => read(next, read(first))).toThrow(`${at} is missing`);
  });

  it("at whatever place it was cut", () => {
    const read = reader();
    const before = read(whole);
    // A hash is no longer one wherever it is cut.
    const ends = Array.from(whole, (_, end) => end).filter((end) => !/^(.)\1{3}$/.test(whole.slice(end, end + 4)));
    const opened = ends
      .filter((end) => end % 5 === 0)
      .flatMap((end) => {
        try {
          const { configured } = read(whole.slice(0, end), before);
          const isClosed =
            (configured?.clients.length ?? 0) > 0 &&
            (configured?.clients ?? []).every(
              ({ mayAsk, requestsPerMinute, expires }) => mayAsk && requestsPerMinute && expires,
            ) &&
            (configured?.tokens ?? []).every(({ tenant }) => tenant !== undefined) &&
            (configured?.tokens.length ?? 0) > 0 &&
            Object.keys(configured?.upstreams ?? {}).length > 0;
          return isClosed ? [] : [end];
        } catch {
          return [];
        }
      });
    expect(opened).toEqual([]);
  });
});

it("takes a file that changes only once two looks have seen it the same", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const config = join(newFolder(), "unloop.yaml");
  writeFileSync(config, "{}");
  const taken: string[] = [];
  const read = () => loadSettings({ env: {}, flags: { config } }).files;
  const end = watchFiles(read(), () => {
    taken.push(readFileSync(config, "utf8"));
    return read();
  });
  onTestFinished(() => {
    end();
    vi.useRealTimers();
  });
  for (const text of ["mode: o", "mode: obser", "mode: observe"]) {
    writeFileSync(config, text);
    vi.advanceTimersByTime(250);
  }
  expect(taken).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(taken).toEqual(["mode: observe"]);
});
