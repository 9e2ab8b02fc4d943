import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Environment, files, unloop } from "./command.ts";

const config = `policies:
  strict: { ladders: { repeated-call: { nudge: 2 } } }
rules:
  - name: researchers
    when: { agent: researcher }
    policy: strict
`;

describe("unloop check-config", () => {
  it("prints for a Worker the JSON that UNLOOP_CONFIG is there, and refuses what has no effect there", async () => {
    const { file, alerting } = files({
      file: "mode: observe\nadmin: { tokens: [{ name: a, role: read, tenant: '*', env: TOKEN }] }\n",
      alerting: "alerts: [{ name: a, url: https://host }]\n",
    });
    const { code, out } = await unloop(["check-config", "--worker", file]);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { mode: "observe", admin: { tokens: [{ name: "a", role: "read", tenant: "*", env: "TOKEN" }] } },
    ]);
    expect(await unloop(["check-config", "--worker", alerting])).toMatchObject({
      code: 1,
      out: expect.stringContaining("Tail Worker"),
    });
  });

  it("calls a file right, and takes it from UNLOOP_CONFIG", async () => {
    const { good } = files({ good: config });
    expect(await unloop(["check-config", good])).toEqual({ code: 0, out: `${good} is valid.\n`, err: "" });
    expect(await unloop(["check-config"], { env: { UNLOOP_CONFIG: good } })).toMatchObject({ code: 0 });
  });

  it("tells each mistake with its place, counts them, and ends with 1", async () => {
    const { bad } = files({ bad: "mod: observe\nlimits: { maxBodyBytes: many }\n" });
    const { code, out } = await unloop(["check-config", bad]);
    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      `${bad}:1:1 The file has no "mod"; did you mean "mode"?`,
      `${bad}:2:11 limits.maxBodyBytes must be a whole number of at least 0, not a text; write the digits alone.`,
      "2 mistakes",
      "",
    ]);
  });

  it.each<[string, Environment, string]>([
    ["/nowhere/a.yaml", {}, "/nowhere/a.yaml cannot be read: there is no such file. Correct the path."],
    ["", { UNLOOP_CONFIG: "/" }, "/ cannot be read: it is a folder. Correct UNLOOP_CONFIG."],
    ["/dev/zero", {}, "/dev/zero cannot be read: it is a device. Correct the path."],
    ["", {}, "Name the file to check, or set UNLOOP_CONFIG."],
  ])("says in one sentence that there is no file: %s %j", async (path, env, says) => {
    const args = ["check-config", path].filter((one) => one !== "");
    expect(await unloop(args, { env })).toEqual({ code: 2, out: "", err: `unloop: ${says}\n` });
  });
});

it("unloop explain says which rule a request falls under, and refuses a header or a client that is none", async () => {
  const clients = `clients:\n  - { name: bot, tenant: t, sha256: ${"a".repeat(64)} }\n`;
  const { path } = files({ path: config + clients });
  const asked = (...args: string[]) => unloop(["explain", "--config", path, ...args]);
  expect((await asked("--header", "x-unloop-agent: researcher")).out).toContain("policy strict, mode enforce (agent r");
  expect((await asked()).out).toContain("-> no rule matches: defaults apply\npolicy default");
  expect((await asked("--header", "x-unloop-agent")).err).toContain("must be a name, a colon and a value");
  expect(await asked("--client", "bto")).toMatchObject({
    code: 2,
    err: 'unloop: --client "bto" is not in the configuration file; did you mean "bot"?\n',
  });
});

it("unloop keys makes, lists and revokes keys in a file that keeps its comments, and writes none with a mistake", async () => {
  const { path } = files({ path: "# of the platform team\nmode: observe # until May\n" });
  const keys = (...args: readonly string[]) => unloop(["keys", ...args, "--config", path]);
  expect((await keys("create", "ci", "--tenant", "research", "--expires", "2999-01-01")).out).toMatch(/once: ul-/);
  const limits = ["--models", "gpt-5*", "claude-*", "--requests-per-minute", "60"];
  expect((await keys("create", "bot", "--tenant", "sales", ...limits)).code).toBe(0);
  expect(readFileSync(path, "utf8")).toMatch(/models:\n +- gpt-5\*\n +- claude-\*\n +requestsPerMinute: 60\n/);
  expect((await keys("list")).out).toBe("ci\tresearch\t2999-01-01\nbot\tsales\tnever expires\n");
  expect((await keys("revoke", "ci")).code).toBe(0);
  expect((await keys("list")).out).toMatch(/^ci\tresearch\t20(?!99)/);
  expect(readFileSync(path, "utf8")).toContain("# of the platform team\nmode: observe # until May\n");
  const before = readFileSync(path, "utf8");
  expect((await keys("create", "bot", "--tenant", "sales")).err).toContain("is that of an earlier one");
  const many = await keys("create", "fast", "--tenant", "sales", "--requests-per-minute", "many");
  expect(many.err).toContain("requestsPerMinute must be a whole number from 1 to 1000000, not a text");
  expect((await keys("revoke", "bto")).err).toContain('did you mean "bot"?');
  expect(readFileSync(path, "utf8")).toBe(before);
});
