import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DoctorCheck, Diagnosis } from "../../../src/cli/doctor/check.ts";
import { port, redis, settingsAreValid } from "../../../src/cli/doctor/installation.ts";
import { proxies } from "../../../src/cli/doctor/proxies.ts";
import { questions } from "../../../src/cli/doctor/questions.ts";
import { arrivals, webSocketFallback } from "../../../src/cli/doctor/traffic.ts";
import { answers, certificate, type UpstreamApi } from "../../../src/cli/doctor/upstreams.ts";
import { readSettings } from "../../../src/config/config.ts";
import { presetNames } from "../../../src/policy/policy.ts";
import { selfSigned } from "../../support/servers/certificate.ts";
import { postTo } from "../../support/agents/wire-agent.ts";
import { startGuard } from "../../support/servers/guarded.ts";
import { scriptedUpstream } from "../../support/servers/upstream.ts";
import { responsesWire } from "../../support/wires/responses.ts";
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
const now = () => Date.parse("2026-11-22T12:00:00Z");
const answering = (status: number, body = "{}", date = new Date(now()).toUTCString(), headers = {}) =>
  server((_, response) => response.writeHead(status, { date, ...headers }).end(body));

describe("the doctor names each fault with its cure", () => {
  const question = async (answer: Promise<string>) => first(questions(withKey, await answer, "m", 200));
  const refusing = (code: string) => JSON.stringify({ error: { code, message: code } });
  const judged = { "x-unloop-verdict": "ok" };
  /** What only a question brings to light. */
  const asked: readonly Fault[] = [
    {
      name: "a model that does not exist",
      find: () => question(answering(404, refusing("model_not_found"))),
      says: /^chat completions: api\.example does not take this model \(404\)/,
      cure: /v1\/models/,
    },
    {
      name: "a model that the key may not use",
      find: () => question(answering(403, refusing("Project has no access to model m"))),
      says: /does not take this model \(403\)/,
      cure: /this key may use/,
    },
    {
      name: "an account without credit",
      find: () => question(answering(429, refusing("insufficient_quota"))),
      says: /has no credit left for this key \(429\)/,
      cure: /billing/,
    },
    {
      name: "a limit of the rate",
      find: () => question(answering(429, refusing("rate_limit_exceeded"))),
      says: /limits the rate/,
      cure: /Wait/,
    },
    {
      name: "something on the way that refuses bodies",
      find: () => question(answering(413)),
      says: /too large \(413\)/,
      cure: /its limits/,
    },
    {
      name: "an API with a dialect of its own",
      find: () => question(answering(400, refusing("messages[0].content must be a list"))),
      says: /refuses a plain question \(400\)/,
      cure: /without the guard/,
    },
    {
      name: "an API that fails when it is asked",
      find: () => question(answering(500)),
      says: /answers with 500/,
      cure: /later/,
    },
    {
      name: "a key that may list models and nothing else",
      find: () => question(answering(401)),
      says: /refuses the key \(401\)/,
      cure: /permission/,
    },
    {
      name: "a web page in the place of an answer",
      find: () => question(answering(200, "<html>", undefined, { "content-type": "text/html" })),
      says: /answers with a web page/,
      cure: /login/,
    },
    {
      name: "an answer of another kind",
      find: () => question(answering(200, '{"status":"ok"}', undefined, judged)),
      says: /something else than chat completions/,
      cure: /correct UNLOOP_UPSTREAM/,
    },
    {
      name: "a question that passes unguarded",
      find: () => question(answering(200, '{"choices":[]}', undefined, { "x-unloop-verdict": "unguarded" })),
      says: /has not judged the question \(unguarded\)/,
      cure: /rules for this path/,
    },
    {
      name: "a path before /v1 that is wrong",
      find: () => question(answering(404)),
      says: /speaks none of chat completions, Responses, Messages/,
      cure: /before \/v1/,
    },
    {
      name: "an API that lists models and answers no question",
      find: () => question(server(({ url }, response) => url === "/unloop/healthz" && response.end())),
      says: /does not answer within 0\.2 s/,
      cure: /API is running/,
    },
  ];
  const rows: readonly Fault[] = [
    {
      name: "a setting that is misspelt",
      find: () => first(settingsAreValid(() => readSettings({ UNLOOP_POLCY: "default" }, {}, presetNames))),
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
      find: async () => first(answers(api, await answering(502, '{"error":{"code":"upstream_unreachable"}}'), now)),
      says: /does not answer \(502\)/,
      cure: /^Check UNLOOP_UPSTREAM/,
    },
    {
      name: "an API that speaks another HTTP",
      find: async () =>
        first(
          answers(
            api,
            await answering(502, '{"error":{"code":"upstream_unreachable","message":"Unreachable (HPE_INVALID)."}}'),
            now,
          ),
        ),
      says: /does not answer \(502, HPE_INVALID\)/,
      cure: /HTTP\/1\.1/,
    },
    {
      name: "an API that stays silent",
      find: async () =>
        first(answers(api, await server(({ url }, response) => url === "/unloop/healthz" && response.end()), now, 200)),
      says: /takes requests, but does not answer within 0\.2 s/,
      cure: /port/,
    },
    {
      name: "a path that is wrong",
      find: async () => first(answers(withKey, await answering(404), now)),
      says: /knows no \/v1\/models \(404\)/,
      cure: /path in UNLOOP_UPSTREAM/,
    },
    {
      name: "a web page in the place of an API",
      find: async () =>
        first(answers(api, await answering(200, "<html>", undefined, { "content-type": "text/html" }), now)),
      says: /answers with a web page \(200\)/,
      cure: /login/,
    },
    {
      name: "a login that requests are sent to",
      find: async () =>
        first(answers(api, await answering(302, "", undefined, { location: "https://login.example/x" }), now)),
      says: /sends requests elsewhere \(302 to login\.example\)/,
      cure: /own address/,
    },
    {
      name: "TLS on a port that speaks none",
      find: async () =>
        first(certificate({ ...api, origin: new URL((await answering(200)).replace("http:", "https:")) })),
      says: /cannot be reached with TLS \(\w*WRONG_VERSION_NUMBER\)/,
      cure: /speaks no TLS/,
    },
    {
      name: "a host that cannot be reached with TLS",
      find: () => first(certificate({ ...api, origin: new URL("https://127.0.0.1:9") })),
      says: /cannot be reached with TLS \(ECONNREFUSED\)/,
      cure: /^Check the upstream's address/,
    },
    {
      name: "a key that is refused",
      find: async () => first(answers(withKey, await answering(401), now)),
      says: /refuses the key \(401\)/,
      cure: /Correct the key/,
    },
    {
      name: "a clock that is wrong",
      find: async () =>
        (await answers(withKey, await answering(200, "{}", "Sun, 22 Nov 2026 11:55:00 GMT"), now).run())[1],
      says: /differs .* by 300 seconds/,
      cure: /NTP/,
    },
    {
      name: "a balancer that answers WebSocket upgrades itself",
      find: async () => first(webSocketFallback(await answering(404))),
      says: /404 instead of 426/,
      cure: /balancer/,
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
      name: "an agent whose history is not understood",
      find: async () => {
        const upstream = await scriptedUpstream(() => ({ kind: "text", text: "Hm." }), responsesWire);
        onTestFinished(() => upstream.close());
        const guard = await startGuard({ upstream: upstream.url });
        onTestFinished(() => guard.close());
        const input = [
          { role: "user", content: "Go on." },
          { type: "newer_kind", id: "x_1" },
        ];
        const headers = { "user-agent": "newcomer/2.1" };
        await postTo(responsesWire, guard.url, JSON.stringify({ model: "m", input }), headers);
        return (await arrivals(guard.url, undefined).run()).at(-1);
      },
      says: /not understood: newcomer\/2\.1 \(newer_kind\)\./,
      cure: /dialects\.md/,
    },
    {
      name: "a certificate that is not trusted",
      find: async () => {
        const made = createTlsServer(selfSigned());
        onTestFinished(() => void made.close());
        made.listen(0, "127.0.0.1");
        await once(made, "listening");
        const { port: number } = made.address() as AddressInfo;
        return first(certificate({ ...api, origin: new URL(`https://127.0.0.1:${number}`) }));
      },
      says: /cannot be reached with TLS \(.*(SELF_SIGNED|UNABLE_TO_VERIFY).*\)/,
      cure: /NODE_EXTRA_CA_CERTS/,
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
    ...asked,
  ];

  it("thirty of them", () => expect(rows.length).toBeGreaterThanOrEqual(30));

  it.each(rows)("$name", async ({ find, says, cure }) => {
    const found = await find();
    expect(["failed", "warning"]).toContain(found?.status);
    expect(found?.says).toMatch(says);
    expect(found?.cure).toMatch(cure);
  });
});

it("does not blame an API that is reached through a proxy for what a direct connection meets", async () => {
  const check = certificate(
    { ...api, origin: new URL("https://127.0.0.1:9") },
    { HTTPS_PROXY: "http://proxy.example" },
  );
  expect(await first(check)).toMatchObject({ status: "skipped", says: expect.stringContaining("HTTPS_PROXY") });
});

it("says nothing of an API's clock where only the guard has answered", async () => {
  const found = await answers(api, await answering(502, '{"error":{"code":"upstream_unreachable"}}'), now).run();
  expect(found).toHaveLength(1);
});

describe("the doctor is content with", () => {
  it.each<{ name: string; find: () => Promise<Diagnosis | undefined> }>([
    { name: "a guard that answers", find: async () => first(port(await answering(200))) },
    { name: "a Redis that answers", find: () => first(redis("redis://127.0.0.1", async () => undefined)) },
    {
      name: "a proxy that agents do not ask for the guard",
      find: () => first(proxies({ https_proxy: "http://proxy.example", no_proxy: "127.0.0.1, localhost" })),
    },
    { name: "an API that takes the key", find: async () => first(answers(withKey, await answering(200), now)) },
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

  it("reads the configuration file, too", async () => {
    const { good, bad } = files({ good: "policies: { mine: { extends: default } }\n", bad: "mod: observe\n" });
    const doctor = async (env: Environment) =>
      (await unloop(["doctor", "claude"], { env: { ...upstream, ...env } })).out;
    expect(await doctor({ UNLOOP_CONFIG: good, UNLOOP_POLICY: "mine" })).toContain("policy mine, upstream http:");
    expect(await doctor({ UNLOOP_CONFIG: bad })).toContain(`FAILED   settings: ${bad}:1:1 The file has no "mod"`);
  });

  it("asks the API that the running guard sends requests to, and says where the settings name another", async () => {
    const api = await answering(200);
    const guard = await server((asked, response) => {
      const explains = asked.method === "POST" && asked.url === "/unloop/api/explain";
      response.end(explains ? JSON.stringify({ upstream: `${api}/` }) : "{}");
    });
    const { out } = await unloop(["doctor", "claude", "--guard", guard], { env: upstream });
    const [there, here] = [new URL(api).host, "127.0.0.1:9"];
    expect(out).toContain(
      `warning  upstream: The guard at ${guard} sends requests to ${there}, but the settings here say ${here}.`,
    );
    expect(out).toContain(`ok       upstream: answer: ${there} answers through the guard (200).`);
  });

  it("looks for a guard on an IPv6 address", async () => {
    const { out } = await unloop(["doctor", "claude"], { env: { ...upstream, UNLOOP_HOST: "::1" } });
    expect(out).toContain("warning  port: No guard listens at http://[::1]:9.");
  });

  it("--model asks one question in each wire format that the API speaks, and says what came of it", async () => {
    const api = await server(({ url }, response) => {
      if (url !== "/v1/responses") response.statusCode = 404;
      response.setHeader("content-type", "application/json").end('{"object":"response","output":[]}');
    });
    const env = { UNLOOP_UPSTREAM: api, UNLOOP_PORT: "9" };
    const { out } = await unloop(["doctor", "claude", "--model", "m", "--json"], { env });
    const found = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { host } = new URL(api);
    expect(found.filter(({ check }) => check === "upstream: question")).toEqual([
      {
        check: "upstream: question",
        status: "ok",
        says: `Responses: ${host} answers a question through the guard (verdict ok).`,
      },
    ]);
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
    { args: ["doctor", "--format", "yaml"], says: "--format must be text or json" },
  ])("refuses $args", async ({ args, says }) => {
    const { code, err } = await unloop(args);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
