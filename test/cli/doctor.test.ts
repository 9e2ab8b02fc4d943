import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type Diagnosis, port, proxies, redis } from "../../src/cli/doctor/installation.ts";
import { answers, arrivals, type UpstreamApi } from "../../src/cli/doctor/traffic.ts";
import { serverOf } from "../support/servers/of-test.ts";
import { type Environment, files, unloop } from "./command.ts";

const api: UpstreamApi = { name: "api", host: "api.example", prefix: "", headers: {} };
const withKey: UpstreamApi = { ...api, headers: { authorization: "Bearer k" } };
const answering = (status: number, body = "{}", headers = {}) =>
  serverOf((_, response) => response.writeHead(status, headers).end(body));
const asked = async (of: UpstreamApi, ...answer: Parameters<typeof answering>) =>
  answers(of, await answering(...answer));
const unreachable = (code: string) =>
  JSON.stringify({ error: { code: "upstream_unreachable", message: `Not reached (${code}).` } });
const measured = async (...metrics: readonly string[]) =>
  arrivals(await answering(200, metrics.map((line) => `unloop_${line}\n`).join("")));

async function doctored(env: Environment, agent = "aider"): Promise<string> {
  const usual = { UNLOOP_UPSTREAM: "http://127.0.0.1:9", UNLOOP_PORT: "9", HOME: "/nowhere" };
  return (await unloop(["doctor", agent], { env: { ...usual, ...env } })).out;
}

type Found = string | Diagnosis | readonly Diagnosis[];

/** What it finds, then how to mend it. */
const mistakes: Readonly<Record<string, readonly [find: () => Promise<Found> | Found, says: RegExp]>> = {
  "/v1 twice in the agent's base URL": [
    () => doctored({ AIDER_OPENAI_API_BASE: "http://127.0.0.1:9/v1/v1" }),
    /FAILED {3}aider: It uses http:\/\/127\.0\.0\.1:9\/v1\/v1, which ends in \/v1 twice\..*Remove one/s,
  ],
  "nothing came through": [() => measured(), /No agent's request has come through.*unloop wrap/s],
  "the wrong port in the agent's base URL": [
    () => doctored({ AIDER_OPENAI_API_BASE: "http://localhost:8899/v1" }),
    /FAILED {3}aider: It uses http:\/\/localhost:8899\/v1, another port than the guard's: http:\/\/127\.0\.0\.1:9\..*set its base URL to the guard's/s,
  ],
  "a file that shadows the base URL": [
    () => doctored({ HOME: shadowedHome(), ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }, "claude"),
    /warning {2}Claude Code: It uses https:\/\/corp\.example, which bypasses the guard\..*unloop wrap claude/s,
  ],
  "a key that is refused": [() => asked(withKey, 401), /refuses the key \(401\).*Correct the key/s],
  "a certificate that is not trusted": [
    () => asked(api, 502, unreachable("SELF_SIGNED_CERT_IN_CHAIN")),
    /does not answer \(502, SELF_SIGNED_CERT_IN_CHAIN\).*NODE_EXTRA_CA_CERTS/s,
  ],
  "http:// for https://": [
    () => asked(api, 502, unreachable("HPE_INVALID_CONSTANT")),
    /does not answer \(502, HPE_INVALID_CONSTANT\).*HTTP\/1\.1/s,
  ],
  "an upstream that is down": [
    () => doctored({}),
    /FAILED {3}upstream: answer: 127\.0\.0\.1:9 does not answer \(502, ECONNREFUSED\)\..*Check UNLOOP_UPSTREAM/s,
  ],
  "a wrong path in the upstream": [
    () => asked(withKey, 404),
    /knows no \/v1\/models \(404\).*path in UNLOOP_UPSTREAM/s,
  ],
  "a network's login page in the place of an API": [
    () => asked(api, 200, "<html>", { "content-type": "text/html" }),
    /answers with a web page \(200\).*login/s,
  ],
  "a login in the place of an API": [
    () => asked(api, 302, "", { location: "https://login.example" }),
    /sends requests elsewhere \(302\).*asks for a login/s,
  ],
  "an upstream that says nothing": [
    async () => answers(api, await serverOf(() => undefined), 50),
    /does not answer within 0\.05 s.*the upstream's port is the API's own/s,
  ],
  "a base URL that is none": [
    () => doctored({ AIDER_OPENAI_API_BASE: "nonsense", UNLOOP_HOST: "::1" }),
    /No guard listens at http:\/\/\[::1\]:9\..*aider: It uses "nonsense", which is not a URL.*Correct its settings/s,
  ],
  "a proxy variable that is no URL": [
    () => doctored({ HTTPS_PROXY: "proxy.example:3128" }),
    /FAILED {3}proxy: HTTPS_PROXY has no URL.*http:\/\/HOST:PORT/s,
  ],
  "a proxy that agents would ask for the guard": [
    () => proxies({ HTTP_PROXY: "http://user:secret@proxy.example:3128", NO_PROXY: "corp.example" }),
    /The guard asks upstreams through proxy\.example:3128, but NO_PROXY lacks.*unloop wrap/s,
  ],
  "a Redis that is down": [
    () => redis("redis://127.0.0.1:9", () => Promise.reject(new Error("ECONNREFUSED"))),
    /Redis does not answer \(ECONNREFUSED\).*REDIS_URL/s,
  ],
  "a port in use": [async () => port(await answering(404)), /Another program listens.*another port/s],
  "a mistake in the configuration file": [
    () => doctored({ UNLOOP_CONFIG: files({ "bad.yaml": "mod: observe\n" })["bad.yaml"] }),
    /FAILED {3}settings: \S+bad\.yaml:1:1 The file has no "mod".*did you mean "mode"/s,
  ],
  "nothing but errors for an agent whose base URL is wrong": [
    () => measured('exchanges_total{verdict="ok"} 3', 'upstream_errors_total{status="404"} 3'),
    /3 guarded requests have come through, and the API answered none \(404\).*ends in \/v1 once/s,
  ],
  "a key that some requests lack": [
    () => measured('exchanges_total{verdict="ok"} 8', 'upstream_errors_total{status="401"} 1'),
    /8 guarded requests have come through, and the API answered 1 with an error \(401\).*Give the agent its API key/s,
  ],
  "requests that cannot be read": [
    () => measured('exchanges_total{verdict="ok"} 3', 'unguarded_requests_total{endpoint="unread-encoding"} 2'),
    /passed unguarded: not UTF-8 \(2\)\..*what-passes\.md/s,
  ],
  "an endpoint that is not guarded": [
    () => measured('unguarded_requests_total{endpoint="other"} 7', 'unguarded_requests_total{endpoint="bedrock"} 2'),
    /not guarded: bedrock \(2\)\..*wires\.md/s,
  ],
};

it.each(Object.entries(mistakes))(
  "the doctor finds the mistakes of newcomers, each with its cure: %s",
  async (_, [find, says]) => {
    const found = await find();
    const text = typeof found === "string" ? found : JSON.stringify([found].flat(), null, 1).replaceAll('\\"', '"');
    expect(text).toMatch(says);
    if (typeof found !== "string") expect(text).toMatch(/"status": "(?:failed|warning)"/);
  },
);

function shadowedHome(): string {
  const kept = ".claude/settings.json";
  const path = files({ [kept]: '{"env":{"ANTHROPIC_BASE_URL":"https://corp.example"}}' })[kept] ?? "";
  return dirname(dirname(path));
}

describe("unloop doctor", () => {
  it("is content where nothing is wrong", async () => {
    const found = await Promise.all([
      port(await answering(200)),
      redis("redis://127.0.0.1", async () => undefined),
      proxies({ https_proxy: "http://proxy.example", no_proxy: "127.0.0.1, localhost" }),
      asked(withKey, 200),
    ]);
    expect(found.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it("asks the API that the running guard sends requests to, and prints JSON for scripts", async () => {
    const upstream = await answering(200);
    const guard = await serverOf((question, response) => {
      const routes = [{ prefix: "/", upstream: `${upstream}/` }];
      response.end(question.url === "/unloop/api/status" ? JSON.stringify({ routes }) : "{}");
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
    [["nonsense"], '"nonsense" is not a known agent'],
    [["--guard", "there"], "--guard must be a URL"],
    [["--format", "yaml"], "--format must be text or json"],
  ])("refuses %j", async (args, says) => {
    const { code, err } = await unloop(["doctor", ...args]);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
