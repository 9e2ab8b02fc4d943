import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Diagnosis,
  type DoctorCheck,
  port,
  redis,
  settingsAreValid,
} from "../../../src/cli/doctor/installation.ts";
import { arrivals, proxies } from "../../../src/cli/doctor/doctor.ts";
import { answers, type UpstreamApi } from "../../../src/cli/doctor/upstreams.ts";
import { readSettings } from "../../../src/config/config.ts";
import { closing, listening } from "../../support/servers/http.ts";
import { type Environment, files, unloop } from "../command.ts";

/** A server on loopback that stands for a guard, a program on its port, or a guard in front of an API. */
async function server(listener: RequestListener): Promise<string> {
  const made = createServer(listener);
  onTestFinished(() => closing(made));
  return listening(made);
}

interface Fault {
  readonly name: string;
  readonly find: () => Promise<Diagnosis | undefined>;
  readonly says: RegExp;
  readonly cure: RegExp;
}

const first = async (check: DoctorCheck): Promise<Diagnosis | undefined> => (await check.run())[0];
const api: UpstreamApi = { name: "api", origin: new URL("http://api.example"), prefix: "", headers: {} };
const withKey: UpstreamApi = { ...api, headers: { authorization: "Bearer k" } };
const answering = (status: number, body = "{}", headers = {}) =>
  server((_, response) => response.writeHead(status, headers).end(body));
const unreachable = (code: string) =>
  JSON.stringify({ error: { code: "upstream_unreachable", message: `Not reached (${code}).` } });

describe("the doctor names each fault with its cure", () => {
  const rows: readonly Fault[] = [
    {
      name: "a setting that is misspelt",
      find: () => first(settingsAreValid(() => readSettings({ UNLOOP_POLCY: "default" }))),
      says: /UNLOOP_POLCY is not a setting of Unloop; did you mean UNLOOP_POLICY/,
      cure: /Correct the setting/,
    },
    {
      name: "another program on the guard's port",
      find: async () => first(port(await answering(404))),
      says: /Another program listens/,
      cure: /another port/,
    },
    {
      name: "no guard at all",
      find: () => first(port("http://127.0.0.1:9")),
      says: /No guard listens/,
      cure: /unloop serve/,
    },
    {
      name: "a Redis that is down",
      find: () => first(redis("redis://127.0.0.1:9", () => Promise.reject(new Error("ECONNREFUSED")))),
      says: /Redis does not answer \(ECONNREFUSED\)/,
      cure: /REDIS_URL/,
    },
    {
      name: "an API that cannot be reached",
      find: async () => first(answers(api, await answering(502, '{"error":{"code":"upstream_unreachable"}}'))),
      says: /does not answer \(502\)/,
      cure: /^Check UNLOOP_UPSTREAM/,
    },
    {
      name: "an API that speaks another HTTP",
      find: async () => first(answers(api, await answering(502, unreachable("HPE_INVALID")))),
      says: /does not answer \(502, HPE_INVALID\)/,
      cure: /HTTP\/1\.1/,
    },
    {
      name: "an API that stays silent",
      find: async () =>
        first(answers(api, await server(({ url }, response) => url === "/unloop/healthz" && response.end()), 200)),
      says: /does not answer within 0\.2 s/,
      cure: /port/,
    },
    {
      name: "a path that is wrong",
      find: async () => first(answers(withKey, await answering(404))),
      says: /knows no \/v1\/models \(404\)/,
      cure: /path in UNLOOP_UPSTREAM/,
    },
    {
      name: "a web page in the place of an API",
      find: async () => first(answers(api, await answering(200, "<html>", { "content-type": "text/html" }))),
      says: /answers with a web page \(200\)/,
      cure: /login/,
    },
    {
      name: "a login that requests are sent to",
      find: async () => first(answers(api, await answering(302, "", { location: "https://login.example/x" }))),
      says: /sends requests elsewhere \(302\)/,
      cure: /own address/,
    },
    {
      name: "a key that is refused",
      find: async () => first(answers(withKey, await answering(401))),
      says: /refuses the key \(401\)/,
      cure: /Correct the key/,
    },
    {
      name: "no traffic",
      find: async () => first(arrivals(await answering(200, "# HELP nothing\n"), undefined)),
      says: /No agent's request has come through/,
      cure: /unloop wrap/,
    },
    {
      name: "traffic that cannot be read",
      find: async () => {
        const metrics = 'unloop_exchanges_total{verdict="ok"} 3\nunloop_exchanges_total{verdict="unguarded"} 2\n';
        return (await arrivals(await answering(200, metrics), undefined).run())[1];
      },
      says: /2 of them could not be read/,
      cure: /unguarded/,
    },
    {
      name: "traffic that the API does not know",
      find: async () => {
        const metrics = 'unloop_exchanges_total{verdict="ok"} 3\nunloop_upstream_errors_total{status="404"} 3\n';
        return (await arrivals(await answering(200, metrics), undefined).run())[0];
      },
      says: /^3 guarded requests have come through, and the API answered none \(404\)\./,
      cure: /base URL: it ends in \/v1 once/,
    },
    {
      name: "traffic at an endpoint that is not guarded",
      find: async () => {
        const metrics = [
          'unloop_exchanges_total{verdict="ok"} 3',
          'unloop_unguarded_requests_total{endpoint="other"} 7',
          'unloop_unguarded_requests_total{endpoint="bedrock"} 2\n',
        ];
        return (await arrivals(await answering(200, metrics.join("\n")), undefined).run())[1];
      },
      says: /not guarded: bedrock \(2\)\./,
      cure: /wires\.md/,
    },
    {
      name: "a proxy variable that is no URL",
      find: () => first(proxies({ HTTPS_PROXY: "proxy.example:3128" })),
      says: /^HTTPS_PROXY has no URL/,
      cure: /http:\/\/HOST:PORT/,
    },
    {
      name: "a proxy that agents would ask for the guard",
      find: () => first(proxies({ HTTP_PROXY: "http://user:secret@proxy.example:3128", NO_PROXY: "corp.example" })),
      says: /^The guard asks upstreams through proxy\.example:3128, but NO_PROXY lacks/,
      cure: /unloop wrap/,
    },
    {
      name: "a certificate that is not trusted",
      find: async () => first(answers(api, await answering(502, unreachable("SELF_SIGNED_CERT_IN_CHAIN")))),
      says: /does not answer \(502, SELF_SIGNED_CERT_IN_CHAIN\)/,
      cure: /NODE_EXTRA_CA_CERTS/,
    },
  ];

  it.each(rows)("$name", async ({ find, says, cure }) => {
    const found = await find();
    expect(["failed", "warning"]).toContain(found?.status);
    expect(found?.says).toMatch(says);
    expect(found?.cure).toMatch(cure);
  });
});

describe("the doctor is content with", () => {
  it.each<{ name: string; find: () => Promise<Diagnosis | undefined> }>([
    { name: "a guard that answers", find: async () => first(port(await answering(200))) },
    { name: "a Redis that answers", find: () => first(redis("redis://127.0.0.1", async () => undefined)) },
    {
      name: "a proxy that agents do not ask for the guard",
      find: () => first(proxies({ https_proxy: "http://proxy.example", no_proxy: "127.0.0.1, localhost" })),
    },
    { name: "an API that takes the key", find: async () => first(answers(withKey, await answering(200))) },
  ])("$name", async ({ find }) => expect((await find())?.status).toBe("ok"));
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
  const upstream = { UNLOOP_UPSTREAM: "http://127.0.0.1:9", UNLOOP_PORT: "9" };

  it("sees through a configuration that shadows the base URL, and ends with 1 where something failed", async () => {
    const env = { ...upstream, HOME: shadowedHome(), ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
    const { code, out } = await unloop(["doctor", "claude"], { env });
    expect(out).toContain("warning  Claude Code: It uses https://corp.example, which bypasses the guard.");
    expect(out).toContain("FAILED   upstream: answer: 127.0.0.1:9 does not answer (502, ECONNREFUSED).");
    expect(code).toBe(1);
  });

  it("sees a base URL that ends in /v1 twice", async () => {
    const env = { ...upstream, HOME: "/nowhere", AIDER_OPENAI_API_BASE: "http://127.0.0.1:9/v1/v1" };
    expect((await unloop(["doctor", "aider"], { env })).out).toContain(
      "FAILED   aider: It uses http://127.0.0.1:9/v1/v1, which ends in /v1 twice.",
    );
  });

  it("reads the configuration file, too", async () => {
    const { good, bad } = files({ good: "policies: { mine: { extends: default } }\n", bad: "mod: observe\n" });
    const doctor = async (env: Environment) =>
      (await unloop(["doctor", "claude"], { env: { ...upstream, ...env } })).out;
    expect(await doctor({ UNLOOP_CONFIG: good, UNLOOP_POLICY: "mine" })).toContain("policy mine, upstream http:");
    expect(await doctor({ UNLOOP_CONFIG: bad })).toContain(`FAILED   settings: ${bad}:1:1 The file has no "mod"`);
  });

  it("asks the API that the running guard sends requests to", async () => {
    const api = await answering(200);
    const guard = await server((asked, response) => {
      const explains = asked.method === "POST" && asked.url === "/unloop/api/explain";
      response.end(explains ? JSON.stringify({ upstream: `${api}/` }) : "{}");
    });
    const { out } = await unloop(["doctor", "claude", "--guard", guard], { env: upstream });
    expect(out).toContain(`ok       upstream: answer: ${new URL(api).host} answers through the guard (200).`);
  });

  it("looks for a guard on an IPv6 address", async () => {
    const { out } = await unloop(["doctor", "claude"], { env: { ...upstream, UNLOOP_HOST: "::1" } });
    expect(out).toContain("warning  port: No guard listens at http://[::1]:9.");
  });

  it("names a proxy variable that cannot be read before anything else fails for it", async () => {
    const { code, out, err } = await unloop(["doctor", "claude"], { env: { ...upstream, HTTPS_PROXY: "nonsense" } });
    expect([code, err]).toEqual([1, ""]);
    expect(out).toContain("FAILED   proxy: HTTPS_PROXY has no URL of a proxy.");
  });

  it("prints one JSON object a line for scripts", async () => {
    const { out } = await unloop(["doctor", "claude", "--format", "json"], {
      env: { ...upstream, HOME: shadowedHome() },
    });
    const found = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      found.every(({ check, status, says }) => [check, status, says].every((text) => typeof text === "string")),
    ).toBe(true);
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
