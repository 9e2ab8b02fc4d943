import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { builtCli } from "../support/processes/built-cli.ts";
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

it.each([
  ["ci", "ci"],
  ["007", '"007"'],
])("unloop keys create prints a key with its entry, which the file takes as it is: %s", async (name, written) => {
  const { out, code } = await unloop(["keys", "create", name, "--tenant", "research"]);
  const [, key = "", entry = ""] = /^key, shown only once: (ul-\S+)\nentry for clients: (\{.*\})\n$/.exec(out) ?? [];
  expect([code, entry]).toEqual([0, `{ name: ${written}, tenant: research, sha256: ${sha256Hex(key)} }`]);
  const { path } = files({ path: `clients:\n  - ${entry}\n` });
  expect((await unloop(["check-config", path])).code).toBe(0);
});

describe("a configuration that is no file", () => {
  function inShell(line: string, config: string) {
    const env = {
      PATH: process.env.PATH ?? "",
      NODE: process.execPath,
      CLI: builtCli,
      CONFIG: files({ config }).config,
    };
    const child = spawn("bash", ["-c", `exec "$NODE" "$CLI" ${line}`], { env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  it.each([
    ["mode: observe\npolicy: default\n", /is valid\.\n$/, 0],
    ["mode: observe\npolcy: default\n", /:2:1 The file has no "polcy"/, 1],
  ])("is read however slowly it comes: %j", async (config, says, code) => {
    const child = inShell('check-config <(head -c 9 "$CONFIG"; sleep 0.3; tail -c +10 "$CONFIG")', config);
    expect(await text(child.stdout)).toMatch(says);
    expect(child.exitCode ?? (await once(child, "close"))[0]).toBe(code);
  });

  it("serves by it, and keeps to it when it is told to look again", async () => {
    const served = 'serve --upstream http://127.0.0.1:1 --port 0 --config <(cat "$CONFIG"; sleep 0.5)';
    const child = inShell(served, "mode: observe\n");
    let logged = "";
    child.stderr.on("data", (piece) => (logged += String(piece)));
    const shows = (part: RegExp) => expect.poll(() => logged, { timeout: 20_000 }).toMatch(part);
    await shows(/mode observe/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/g.exec(logged.slice(logged.indexOf("Point your agent"))) ?? [];
    child.kill("SIGHUP");
    await shows(/config-refused.*only a start|only a start.*config-refused/);
    expect((await fetch(`${url}/unloop/healthz`)).status).toBe(200);
    expect(logged.match(/config-refused/g)).toHaveLength(1);
  });

  it("is not read beyond the most that a file may have", async () => {
    const child = inShell('check-config <(cat "$CONFIG" - < /dev/zero)', "mode: observe\n");
    expect(await text(child.stderr)).toContain("it has more than 16 MB");
  });
});
