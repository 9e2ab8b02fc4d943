import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadSettings, watchFiles } from "../../src/config-file/config-file.ts";

const file = (nudge: number, note = "") => `${note}
policies:
  calm: { extends: default, ladders: { repeated-call: { nudge: ${nudge} } } }
  strict: { extends: duplicate-calls }
rules:
  - { name: all, when: { model: "*" }, policy: calm }
`;

/** Reads texts one after the other as the same file. */
function reader(flags: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "unloop-reload-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "unloop.yaml");
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
  const tokens = `admin: { tokens: [{ name: lead, role: read, sha256: ${sha256.replace("a", "c")} }] }\n`;
  const clients = `clients: [{ name: bot, tenant: research, sha256: ${sha256} }]\n`;
  const ofOneTenant = tokens.replace("role", "tenant: research, role");

  it.each([
    {
      name: "client keys",
      first: clients,
      next: "{}",
      says: "clients is missing, and narrows what is in force; write `clients: []`",
    },
    { name: "admin tokens", first: tokens, next: "{}", says: "admin.tokens is missing, and narrows what is in force" },
    { name: "admin tokens within admin", first: tokens, next: "admin: {}", says: "; write `tokens: []`" },
    {
      name: "upstreams",
      first: "upstreams: { /: http://a.example }",
      next: "{}",
      says: "upstreams is missing, and narrows",
    },
    {
      name: "a token's tenant",
      first: ofOneTenant,
      next: tokens,
      says: 'admin.tokens[0].tenant is missing, and narrows what is in force; write `tenant: "*"`',
    },
    ...(
      [
        ["a key's expiry", "expires: 2027-01-31", "expires: never"],
        ["a key's models", "models: gpt-5*", 'models: "*"'],
        ["a key's rate", "requestsPerMinute: 5", "requestsPerMinute: unlimited"],
        ["a key's mode", "mode: observe", "mode: enforce"],
        ["a key's policy", "policy: web-actions", "policy: default"],
      ] as const
    ).map(([name, field, open]) => ({
      name,
      first: clients.replace(" }", `, ${field} }`),
      next: clients,
      says: `clients[0].${field.split(":")[0]} is missing, and narrows what is in force; write \`${open}\``,
    })),
    {
      name: "a rule's mode",
      first: "rules: [{ name: all, mode: observe, policy: default }]",
      next: "rules: [{ name: all, policy: default }]",
      says: "rules[0].mode is missing",
    },
    {
      name: "any rule",
      first: "rules: [{ name: all, policy: default }]",
      next: "{}",
      says: "rules is missing, and narrows what is in force; write `rules: []`",
    },
    {
      name: "a token's tenant, under another name",
      first: ofOneTenant,
      next: tokens.replace("lead", "le"),
      says: "admin.tokens[0].tenant is missing",
    },
  ])("a file that no longer says $name is refused", ({ first, next, says }) => {
    const read = reader();
    expect(() => read(next, read(first))).toThrow(says);
    expect(() => read(next)).not.toThrow();
  });

  it.each([
    { name: "an empty list of clients", first: clients, next: "clients: []" },
    { name: "an empty list of tokens", first: tokens, next: "admin: { tokens: [] }" },
    { name: "no upstreams", first: "upstreams: { /: http://a.example }", next: "upstreams: {}" },
    { name: "all tenants", first: ofOneTenant, next: tokens.replace("role", 'tenant: "*", role') },
    {
      name: "a key that never expires",
      first: clients.replace(" }", ", expires: 2027-01-31 }"),
      next: clients.replace(" }", ", expires: never }"),
    },
    {
      name: "a key for all models",
      first: clients.replace(" }", ", models: o3 }"),
      next: clients.replace(" }", ', models: "*" }'),
    },
    { name: "what was open before", first: clients.replace(" }", ", expires: never }"), next: clients },
    { name: "other keys", first: clients + tokens, next: (clients + tokens).replaceAll("aaaa", "bbbb") },
  ])("and may be opened by a file that says so: $name", ({ first, next }) => {
    const read = reader();
    expect(() => read(next, read(first))).not.toThrow();
  });

  it("at whatever character it was cut", () => {
    const read = reader();
    const before = read(whole);
    // A hash is no longer one wherever it is cut.
    const ends = Array.from(whole, (_, end) => end).filter((end) => !/^(.)\1{3}$/.test(whole.slice(end, end + 4)));
    const opened = ends.slice(0, -1).flatMap((end) => {
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
  const folder = mkdtempSync(join(tmpdir(), "unloop-reload-"));
  const config = join(folder, "unloop.yaml");
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
    rmSync(folder, { recursive: true });
  });
  for (const text of ["mode: o", "mode: obser", "mode: observe"]) {
    writeFileSync(config, text);
    vi.advanceTimersByTime(250);
  }
  expect(taken).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(taken).toEqual(["mode: observe"]);
});
