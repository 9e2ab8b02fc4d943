import { once } from "node:events";
import { createServer } from "node:http";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { closing, listening } from "../../support/servers/http.ts";
import { healthy } from "../../support/agents/scripts.ts";
import { prefixesFor, throughGuard } from "../../../src/cli/wrap/own-guard.ts";
import { summaryOf, tallying } from "../../../src/cli/wrap/tally.ts";
import { type Child, command, ending, type Environment, files, unloop } from "../command.ts";
import { upstreamOf } from "../../support/servers/of-test.ts";

const providers = `{
  "providers": {
    "openai": { "settings": { "apiKey": "sk-secret", "baseUrl": "https://corp.example/v1" } }
  }
}
`;

function homeWithCline() {
  const lines = [
    `#!${process.execPath}`,
    'const fs = require("fs"), at = process.env.CLINE_PROVIDER_SETTINGS_PATH, text = fs.readFileSync(at, "utf8");',
    "console.log(JSON.parse(text).providers.openai.settings.baseUrl, at);",
    'process.stdin.once("data", () => process.exit(5));',
  ];
  const kept = ".cline/data/settings/providers.json";
  const { cline: script, [kept]: file } = files({ cline: lines.join("\n"), [kept]: providers });
  const home = dirname(script);
  chmodSync(script, 0o755);
  const env: Environment = { HOME: home, PATH: `${home}${delimiter}${process.env.PATH ?? ""}` };
  return { env, file, left: () => readFileSync(file, "utf8") };
}

async function wrapped(script: string, env: Environment = {}) {
  const head = 'const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });';
  return unloop(["wrap", "--", process.execPath, "--input-type=module", "-e", `${head}\n${script}`], { env });
}

async function firstLine(child: Child): Promise<string> {
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
}

describe("unloop wrap -- COMMAND", () => {
  it("sets the variables, passes arguments and the exit code on, and says what it saw", async () => {
    const script = "console.log(process.env.OPENAI_BASE_URL, process.argv.slice(1).join()); process.exit(7)";
    const { code, out, err } = await unloop(["wrap", "--", process.execPath, "-e", script, "--", "-x", "y"]);
    expect(code).toBe(7);
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/to\/api\.openai\.com\/v1 -x,y\n$/);
    expect(err).toContain("unloop: no guarded request came through.");
  });

  it("guards what the command asks, in front of the API that it had or UNLOOP_UPSTREAM, and tells where to watch it", async () => {
    const upstream = await upstreamOf((_, index) =>
      index === 0
        ? { kind: "text", text: "hi" }
        : { kind: "raw", status: 503, fields: {}, pieces: ["{}"], ending: "end" },
    );
    const script = `const ask = () => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body });
      console.log((await ask()).headers.get("x-unloop-verdict"), (await ask()).status);`;
    const { out, err } = await wrapped(script, { OPENAI_BASE_URL: `${upstream.url}/v1` });
    expect([out.trim(), upstream.requests.length]).toEqual(["ok 503", 2]);
    expect(err).toMatch(/^unloop: to watch this run: http:\/\/127\.0\.0\.1:\d+\/unloop\/#live\?token=\w{64}\n/);
    expect(err).toMatch(/unloop: 1 step, no loop, .*1 request failed \(503\)\n$/);
    expect((await wrapped(script, { UNLOOP_UPSTREAM: upstream.url })).out.trim()).toBe("ok 503");
  });

  it("keeps requests to the guard from a proxy, and the proxy's exceptions as they were", async () => {
    const upstream = await upstreamOf(healthy(0));
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(String(request.url));
      response.writeHead(403).end();
    }).on("connect", (request, socket) => {
      seen.push(String(request.url));
      socket.end();
    });
    onTestFinished(() => closing(proxy));
    const at = await listening(proxy);
    const proxies = Object.fromEntries(
      ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"].map((name) => [name, at]),
    );
    const script = `const { EnvHttpProxyAgent, fetch } = await import("undici");
      const asked = { method: "POST", body, dispatcher: new EnvHttpProxyAgent() };
      const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", asked);
      console.log(answer.status, process.env.NO_PROXY, process.env.no_proxy);`;
    const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, ...proxies, NO_PROXY: "corp.example,*", no_proxy: "" };
    const { out } = await wrapped(script, env);
    const exceptions = "corp.example,*,127.0.0.1,localhost,::1";
    expect([out.trim(), seen]).toEqual([`200 ${exceptions} ${exceptions}`, []]);
  });

  it("opens the guard's admin API to nobody without a token, and hands the agent none", async () => {
    const script = `
      const { origin } = new URL(process.env.OPENAI_BASE_URL);
      const asked = (headers) => fetch(origin + "/unloop/api/status", { headers }).then(({ status }) => status);
      console.log(await asked({}), await asked({ authorization: "Bearer " + "t".repeat(20) }), process.env.UNLOOP_ADMIN_TOKEN, process.env.UNLOOP_SECRET);`;
    expect((await wrapped(script)).out.trim()).toBe("401 401 undefined undefined");
    const env = { UNLOOP_ADMIN_TOKEN: "t".repeat(20), UNLOOP_SECRET: "s".repeat(40) };
    const { out, err } = await wrapped(script, env);
    expect(out.trim()).toBe("401 200 undefined undefined");
    expect(err).not.toContain("ttt");
  });

  it.each([
    [["nonsense"], '"nonsense" is not a known agent'],
    [[], "Name an agent or a command"],
    [["--", "no-such-command"], 'unloop: The command "no-such-command" was not found'],
    [["--guard", "localhost:8787", "--", "true"], 'not "localhost:8787"'],
    [["--guard", "http://127.0.0.1:9", "--", "true"], "No guard answers"],
  ])("says what is wrong with %j", async (args, says) => {
    const { code, err } = await unloop(["wrap", ...args]);
    expect(code).toBe(2);
    expect(err.trimEnd().split("\n").at(-1)).toContain(says);
  });

  it.skipIf(process.platform === "win32")("passes signals on, and ends as the command does", async () => {
    const child = command(["wrap", "--", process.execPath, "-e", "console.log(1); setInterval(() => {}, 1e6)"]);
    const finished = ending(child);
    await firstLine(child);
    child.kill("SIGTERM");
    expect((await finished).code).toBe(128 + 15);
  });
});

describe.skipIf(process.platform === "win32")("unloop wrap cline", () => {
  it("hands the agent a copy of its provider file, which stays as it is but for what the agent changes in the copy", async () => {
    const { env, left, file } = homeWithCline();
    const children = [command(["wrap", "cline"], env), command(["wrap", "cline"], env)];
    const ends = children.map(ending);
    const told = await Promise.all(children.map(firstLine));
    const copies = told.map((line) => line.split(" ")[1] ?? "");
    for (const line of told) expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/to\/corp\.example\/v1 /);
    expect([new Set(copies).size, left()]).toEqual([2, providers]);
    for (const copy of copies) expect(statSync(copy).mode & 0o777).toBe(0o600);
    const [changed = ""] = copies;
    writeFileSync(changed, readFileSync(changed, "utf8").replace("sk-secret", "sk-other"));
    for (const child of children) child.stdin.end("\n");
    expect((await Promise.all(ends)).map(({ code }) => code)).toEqual([5, 5]);
    expect([left(), ...copies.map(existsSync)]).toEqual([providers.replace("sk-secret", "sk-other"), false, false]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("leaves nothing behind for good when it is killed", async () => {
    const { env, left } = homeWithCline();
    const child = command(["wrap", "cline"], env);
    const finished = once(child, "exit");
    const [, copy = ""] = (await firstLine(child)).split(" ");
    child.kill("SIGKILL");
    await finished;
    expect([left(), existsSync(copy)]).toEqual([providers, true]);
    await unloop(["wrap", "--", "true"]);
    expect(existsSync(copy)).toBe(false);
  });
});

it("each origin has a prefix of its own on the guard, and the rest of a base URL is kept", () => {
  const urls = [
    ["https://a:8443/v1", "http://127.0.0.1:9/to/a-8443/v1"],
    ["https://a-8443/v1/", "http://127.0.0.1:9/to/a-8443-2/v1"],
    ["http://a:8443", "http://127.0.0.1:9/to/http-a-8443"],
    ["https://u:p%40@b.example/v1?api-version=1", "http://u:p%40@127.0.0.1:9/to/b.example/v1?api-version=1"],
    ["https://a:8443/v2", "http://127.0.0.1:9/to/a-8443/v2"],
  ] as const;
  const prefixes = prefixesFor(urls.map(([url]) => url));
  for (const [url, through] of urls) expect(throughGuard("http://127.0.0.1:9", prefixes, url)).toBe(through);
});

const act = { detector: "repeated-call", rung: "nudge" };

it.each([
  [[], /^unloop: no guarded request came through\..*doctor/],
  [[{ inputTokens: 1_000, outputTokens: 200 }, { inputTokens: 34 }], /^unloop: 2 steps, no loop, 1,234 tokens$/],
  [
    [act, { ...act, rung: "force-done" }, act, { runaway: { laps: 9 } }],
    /^unloop: 4 steps, 2 loops \(repeated-call: nudge ×2, force-done; runaway-output: cut\)$/,
  ],
  [[{ status: 502 }, { status: 502 }], /^unloop: 2 requests, both failed \(502\)\..*doctor/],
  [[{ status: 0 }], /^unloop: 1 request, which failed \(no answer\)\./],
  [
    [{ status: 429 }, { ...act, status: 503 }, { ...act, rung: "short-circuit", status: 400 }],
    /^unloop: 1 step, 1 loop \(repeated-call: nudge, short-circuit\), 2 requests failed \(429, 503\)$/,
  ],
  [[{ verdict: "unguarded" }], /^unloop: 0 steps, no loop, 1 request passed unread$/],
])("a run is summed up in a line: %j", (exchanges, says) => {
  const { log, tally } = tallying();
  for (const facts of exchanges) log.info({ verdict: "ok", ...facts }, "exchange");
  log.info({ verdict: "ok" }, "listening");
  expect(summaryOf(tally)).toMatch(says);
});
