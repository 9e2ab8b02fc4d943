import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Diagnosis, port, proxies, redis } from "../../../src/cli/doctor/installation.ts";
import { answers, arrivals, type UpstreamApi } from "../../../src/cli/doctor/traffic.ts";
import { closing, listening } from "../../support/servers/http.ts";
import { type Environment, files, unloop } from "../command.ts";

/** A server on loopback that stands for a guard, a program on its port, or a guard in front of an API. */
async function server(listener: RequestListener): Promise<string> {
  const made = createServer(listener);
  onTestFinished(() => closing(made));
  return listening(made);
}

const api: UpstreamApi = { name: "api", host: "api.example", prefix: "", headers: {} };
const withKey: UpstreamApi = { ...api, headers: { authorization: "Bearer k" } };
const answering = (status: number, body = "{}", headers = {}) =>
  server((_, response) => response.writeHead(status, headers).end(body));
const asked = async (of: UpstreamApi, ...answer: Parameters<typeof answering>) =>
  answers(of, await answering(...answer));
const unreachable = (code: string) =>
  JSON.stringify({ error: { code: "upstream_unreachable", message: `Not reached (${code}).` } });
const measured = async (...metrics: readonly string[]) =>
  arrivals(await answering(200, metrics.map((line) => `unloop_${line}\n`).join("")));

/** What `unloop doctor` says with these variables of an agent whose base URL they name, line by line. */
async function doctored(env: Environment, agent = "aider"): Promise<string> {
  const usual = { UNLOOP_UPSTREAM: "http://127.0.0.1:9", UNLOOP_PORT: "9", HOME: "/nowhere" };
  return (await unloop(["doctor", agent], { env: { ...usual, ...env } })).out;
}

interface Mistake {
  readonly mistake: string;
  readonly find: () => Promise<string | Diagnosis | readonly Diagnosis[]> | Diagnosis;
  readonly says: RegExp;
  readonly cure: RegExp;
}

describe("the doctor finds the mistakes of newcomers, each with its cure", () => {
  it.each<Mistake>([
    {
      mistake: "/v1 twice in the agent's base URL",
      find: () => doctored({ AIDER_OPENAI_API_BASE: "http://127.0.0.1:9/v1/v1" }),
      says: /FAILED {3}aider: It uses http:\/\/127\.0\.0\.1:9\/v1\/v1, which ends in \/v1 twice\./,
      cure: /Remove one/,
    },
    {
      mistake: "a base URL that the API does not know: nothing came through but errors",
      find: () => measured('exchanges_total{verdict="ok"} 3', 'upstream_errors_total{status="404"} 3'),
      says: /3 guarded requests have come through, and the API answered none \(404\)\./,
      cure: /base URL: it ends in \/v1 once/,
    },
    {
      mistake: "nothing came through",
      find: () => measured(),
      says: /No agent's request has come through/,
      cure: /unloop wrap/,
    },
    {
      mistake: "the wrong port in the agent's base URL",
      find: () => doctored({ AIDER_OPENAI_API_BASE: "http://localhost:8899/v1" }),
      says: /FAILED {3}aider: It uses http:\/\/localhost:8899\/v1, another port than the guard's: http:\/\/127\.0\.0\.1:9\./,
      cure: /set its base URL to the guard's/,
    },
    {
      mistake: "a file that shadows the base URL",
      find: () => doctored({ HOME: shadowedHome(), ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }, "claude"),
      says: /warning {2}Claude Code: It uses https:\/\/corp\.example, which bypasses the guard\./,
      cure: /unloop wrap claude/,
    },
    {
      mistake: "no key, where requests fail",
      find: () => measured('exchanges_total{verdict="ok"} 1', 'upstream_errors_total{status="401"} 1'),
      says: /1 guarded request has come through, and the API answered none \(401\)\./,
      cure: /Give the agent its API key/,
    },
    {
      mistake: "a key that is refused",
      find: () => asked(withKey, 401),
      says: /refuses the key \(401\)/,
      cure: /Correct the key/,
    },
    {
      mistake: "a certificate that is not trusted",
      find: () => asked(api, 502, unreachable("SELF_SIGNED_CERT_IN_CHAIN")),
      says: /does not answer \(502, SELF_SIGNED_CERT_IN_CHAIN\)/,
      cure: /NODE_EXTRA_CA_CERTS/,
    },
    {
      mistake: "http:// for https://",
      find: () => asked(api, 502, unreachable("HPE_INVALID_CONSTANT")),
      says: /does not answer \(502, HPE_INVALID_CONSTANT\)/,
      cure: /HTTP\/1\.1/,
    },
    {
      mistake: "an upstream that is down",
      find: () => doctored({}),
      says: /FAILED {3}upstream: answer: 127\.0\.0\.1:9 does not answer \(502, ECONNREFUSED\)\./,
      cure: /Check UNLOOP_UPSTREAM/,
    },
    {
      mistake: "an upstream that stays silent",
      find: async () =>
        answers(api, await server(({ url }, response) => url === "/unloop/healthz" && response.end()), 200),
      says: /does not answer within 0\.2 s/,
      cure: /port/,
    },
    {
      mistake: "a wrong path in the upstream",
      find: () => asked(withKey, 404),
      says: /knows no \/v1\/models \(404\)/,
      cure: /path in UNLOOP_UPSTREAM/,
    },
    {
      mistake: "a network's login page in the place of an API",
      find: () => asked(api, 200, "<html>", { "content-type": "text/html" }),
      says: /answers with a web page \(200\)/,
      cure: /login/,
    },
    {
      mistake: "a login that requests are sent to",
      find: () => asked(api, 302, "", { location: "https://login.example/x" }),
      says: /sends requests elsewhere \(302\)/,
      cure: /own address/,
    },
    {
      mistake: "a proxy variable that is no URL",
      find: () => doctored({ HTTPS_PROXY: "proxy.example:3128" }),
      says: /FAILED {3}proxy: HTTPS_PROXY has no URL/,
      cure: /http:\/\/HOST:PORT/,
    },
    {
      mistake: "a proxy that agents would ask for the guard",
      find: () => proxies({ HTTP_PROXY: "http://user:secret@proxy.example:3128", NO_PROXY: "corp.example" }),
      says: /The guard asks upstreams through proxy\.example:3128, but NO_PROXY lacks/,
      cure: /unloop wrap/,
    },
    {
      mistake: "a Redis that is down",
      find: () => redis("redis://127.0.0.1:9", () => Promise.reject(new Error("ECONNREFUSED"))),
      says: /Redis does not answer \(ECONNREFUSED\)/,
      cure: /REDIS_URL/,
    },
    {
      mistake: "a port in use",
      find: async () => port(await answering(404)),
      says: /Another program listens/,
      cure: /another port/,
    },
    {
      mistake: "no guard at all, on an IPv6 address",
      find: () => doctored({ UNLOOP_HOST: "::1" }),
      says: /warning {2}port: No guard listens at http:\/\/\[::1\]:9\./,
      cure: /unloop serve/,
    },
    {
      mistake: "a setting that is misspelt",
      find: () => doctored({ UNLOOP_POLCY: "default" }),
      says: /UNLOOP_POLCY is not a setting of Unloop; did you mean UNLOOP_POLICY/,
      cure: /Correct the setting/,
    },
    {
      mistake: "a mistake in the configuration file",
      find: () => doctored({ UNLOOP_CONFIG: files({ "bad.yaml": "mod: observe\n" })["bad.yaml"] }),
      says: /FAILED {3}settings: \S+bad\.yaml:1:1 The file has no "mod"/,
      cure: /did you mean "mode"/,
    },
    {
      mistake: "requests that cannot be read",
      find: () => measured('exchanges_total{verdict="ok"} 3', 'unguarded_requests_total{endpoint="unread-encoding"} 2'),
      says: /passed unguarded: not UTF-8 \(2\)\./,
      cure: /what-passes\.md/,
    },
    {
      mistake: "an endpoint that is not guarded",
      find: () =>
        measured('unguarded_requests_total{endpoint="other"} 7', 'unguarded_requests_total{endpoint="bedrock"} 2'),
      says: /not guarded: bedrock \(2\)\./,
      cure: /wires\.md/,
    },
  ])("$mistake", async ({ find, says, cure }) => {
    const found = await find();
    const text = typeof found === "string" ? found : JSON.stringify([found].flat(), null, 1).replaceAll('\\"', '"');
    expect(text).toMatch(says);
    expect(text).toMatch(cure);
    if (typeof found !== "string") expect(text).toMatch(/"status": "(?:failed|warning)"/);
  });
});

/** A home folder where Claude Code's settings name another base URL than its variable. */
function shadowedHome(): string {
  const home = mkdtempSync(join(tmpdir(), "unloop-doctor-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), '{"env":{"ANTHROPIC_BASE_URL":"https://corp.example"}}');
  return home;
}

describe("unloop doctor", () => {
  it.each<{ name: string; find: () => Promise<Diagnosis> | Diagnosis }>([
    { name: "a guard that answers", find: async () => port(await answering(200)) },
    { name: "a Redis that answers", find: () => redis("redis://127.0.0.1", async () => undefined) },
    {
      name: "a proxy that agents do not ask for the guard",
      find: () => proxies({ https_proxy: "http://proxy.example", no_proxy: "127.0.0.1, localhost" }),
    },
    { name: "an API that takes the key", find: () => asked(withKey, 200) },
  ])("is content with $name", async ({ find }) => expect((await find()).status).toBe("ok"));

  it("asks the API that the running guard sends requests to, and prints JSON for scripts", async () => {
    const upstream = await answering(200);
    const guard = await server((question, response) => {
      const explains = question.method === "POST" && question.url === "/unloop/api/explain";
      response.end(explains ? JSON.stringify({ upstream: `${upstream}/` }) : "{}");
    });
    const { code, out } = await unloop(["doctor", "claude", "--format", "json", "--guard", guard]);
    const says = `${new URL(upstream).host} answers through the guard (200).`;
    const found = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(found).toContainEqual({ check: "upstream: answer", status: "ok", says });
    expect(code).toBe(0);
  });

  it.each([
    { args: ["doctor", "nonsense"], says: '"nonsense" is not a known agent' },
    { args: ["doctor", "--guard", "there"], says: "--guard must be a URL" },
    { args: ["doctor", "--model", "m"], says: "--model was removed. Ask the model through the guard" },
    { args: ["doctor", "--format", "yaml"], says: "--format must be text or json" },
  ])("refuses $args", async ({ args, says }) => {
    const { code, err } = await unloop(args);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
