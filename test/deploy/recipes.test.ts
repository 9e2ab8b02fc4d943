import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent } from "../proxy/agent.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { isInstalled } from "../support/processes/installed.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { closing, freePort, listening } from "../support/servers/http.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { answers, nginx, play, recipes } from "./play-recipe.ts";

const programs = [
  { program: "nginx", recipe: "nginx.conf", start: nginx, separator: ":" },
  {
    program: "haproxy",
    recipe: "haproxy.cfg",
    start: (file: string) => ["haproxy", "-db", "-f", file],
    separator: ":",
  },
  {
    program: "envoy",
    recipe: "envoy.yaml",
    start: (file: string) => ["envoy", "-c", file, "--concurrency", "1", "--use-dynamic-base-id", "-l", "error"],
    separator: ", port_value: ",
  },
];

async function guardFor(upstream: string, env: Readonly<Record<string, string>> = {}) {
  const guard = await startGuard({ upstream, env });
  onTestFinished(guard.close);
  return guard;
}

async function scripted(script = healthy(1)) {
  const upstream = await scriptedUpstream(script);
  onTestFinished(upstream.close);
  return upstream;
}

const post = (url: string, body: object, headers = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** A model that goes on only when its last event has been taken. */
async function patientModel() {
  let next: () => void = () => undefined;
  const event = (content: string) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] })}\n\n`;
  const model = createServer(async (incoming, outgoing) => {
    incoming.resume();
    if (incoming.method !== "POST") return void outgoing.end("{}");
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of ["one", "two", "three"]) {
      const taken = new Promise<void>((done) => {
        next = done;
      });
      outgoing.write(event(word));
      await taken;
    }
    outgoing.end("data: [DONE]\n\n");
  });
  onTestFinished(() => closing(model));
  return { url: await listening(model), next: () => next() };
}

describe.each(programs)("$program before two replicas", ({ program, recipe, start, separator }) => {
  async function ingress(guards: readonly { readonly url: string }[]) {
    const port = await freePort();
    const at = (host: string) => `127.0.0.1${separator}${host.split(":").at(-1)}`;
    const hosts = [`127.0.0.1:${port}`, ...guards.map(({ url }) => new URL(url).host)];
    const changes = hosts.map((host, i) => [at(`:${["8080", "8787", "8788"][i]}`), at(host)] as const);
    const url = `http://127.0.0.1:${port}`;
    await answers(`${url}/v1/models`, play(recipe, Object.fromEntries(changes), start));
    return url;
  }

  it.skipIf(!isInstalled(program))(
    `keeps each run on one replica, the page and too large bodies to the guards (left out without ${program})`,
    { timeout: 60_000 },
    async () => {
      const [a, b] = [await scripted(), await scripted()];
      const env = { UNLOOP_MAX_BODY_BYTES: String(2 << 20) };
      const url = await ingress([await guardFor(a.url, env), await guardFor(b.url, env)]);
      const runs = Array.from({ length: 16 }, (_, i) => `run-${i}`);
      for (const run of runs)
        await agent({ url, upstream: a, headers: { "x-unloop-session": run, "x-run": run } }).turns(2);
      const seen = [a, b].map(({ requests }) => requests.flatMap(({ fields }) => fields["x-run"] ?? []));
      const [ofA = new Set(), ofB = new Set()] = seen.map((names) => new Set(names));
      expect([...ofA].filter((run) => ofB.has(run))).toEqual([]);
      expect(seen.flat()).toHaveLength(2 * runs.length);
      expect(Math.min(ofA.size, ofB.size)).toBeGreaterThan(0);
      for (const path of ["/unloop/", "/unloop/api/status", "/unloop/metrics"])
        expect((await fetch(url + path)).status).toBe(404);
      const response = await post(url, { messages: [{ role: "user", content: "x".repeat(3 << 20) }] });
      expect([response.status, await response.json()]).toMatchObject([413, { error: { code: expect.any(String) } }]);
    },
  );

  it.skipIf(!isInstalled(program))(
    `passes each event on before the next one comes (left out without ${program})`,
    { timeout: 60_000 },
    async () => {
      const model = await patientModel();
      const url = await ingress([await guardFor(model.url), await guardFor(model.url)]);
      const response = await post(url, { model: "m", stream: true, messages: [{ role: "user", content: "Count." }] });
      let text = "";
      for await (const piece of response.body ?? []) {
        text += Buffer.from(piece).toString();
        if (/data: \{[^\n]*\n\n$/.test(text)) model.next();
      }
      expect(text.match(/"content":"\w+"/g)).toEqual(['"content":"one"', '"content":"two"', '"content":"three"']);
    },
  );
});

/** A folder of the test with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "unloop-recipe-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it.skipIf(!isInstalled("prometheus"))(
  "Prometheus scrapes with a token that may do nothing else (left out without prometheus)",
  { timeout: 60_000 },
  async () => {
    const token = "s".repeat(32);
    const folder = folderWith({
      token,
      "unloop.yaml": `admin: { tokens: [{ name: prometheus, role: metrics, sha256: ${sha256Hex(token)} }] }`,
    });
    const guard = await guardFor("http://127.0.0.1:9", { UNLOOP_CONFIG: join(folder, "unloop.yaml") });
    const address = `127.0.0.1:${await freePort()}`;
    const changes = {
      "127.0.0.1:8787": new URL(guard.url).host,
      "/run/secrets/scrape": join(folder, "token"),
      "../prometheus-rules.yaml": join(recipes, "../prometheus-rules.yaml"),
      "scrape_interval: 15s": "scrape_interval: 1s",
    };
    const data = `--storage.tsdb.path=${join(folder, "data")}`;
    play("prometheus.yml", changes, (file) => [
      ...["prometheus", `--config.file=${file}`, data, `--web.listen-address=${address}`, "--log.level=error"],
    ]);
    const targets = async () => JSON.stringify(await (await fetch(`http://${address}/api/v1/targets`)).json());
    await expect.poll(() => targets().catch(() => ""), { timeout: 30_000 }).toContain('"health":"up"');
    const response = await fetch(`${guard.url}/unloop/api/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
  },
);

describe.skipIf(!isInstalled("litellm"))("LiteLLM (left out without litellm)", () => {
  const master = "sk-of-the-team";
  const env = { LITELLM_MASTER_KEY: master, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  const start = (port: number) => (file: string) => [
    ...["litellm", "--config", file, "--host", "127.0.0.1", "--port", `${port}`],
  ];
  const headers = { authorization: `Bearer ${master}`, "x-unloop-session": "nightly" };
  const extra = { model: "gpt-5-mini" };

  it("before Unloop keeps its keys to itself, and a loop is ended through it", { timeout: 120_000 }, async () => {
    const upstream = await scripted(looping("nothing"));
    const folder = folderWith({
      "unloop.yaml": `clients: [{ name: litellm, tenant: gateway, sha256: ${sha256Hex("ul-of-litellm")}, upstreamKey: { env: PROVIDER_KEY } }]
admin: { tokens: [{ name: viewer, role: read, sha256: ${sha256Hex("t".repeat(20))} }] }`,
    });
    const settings = { UNLOOP_CONFIG: join(folder, "unloop.yaml"), PROVIDER_KEY: "sk-provider" };
    const guard = await guardFor(upstream.url, settings);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const addresses = { "http://127.0.0.1:8787": guard.url };
    const running = play("litellm.yaml", addresses, start(port), { ...env, UNLOOP_KEY: "ul-of-litellm" });
    await answers(`${url}/health/liveliness`, running);
    const turns = await agent({ url, upstream, headers, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    expect(upstream.requests.map(({ fields }) => fields.authorization)).toContain("Bearer sk-provider");
    expect(JSON.stringify(upstream.requests.map(({ fields }) => fields))).not.toContain(master);
    const viewer = { authorization: `Bearer ${"t".repeat(20)}` };
    const listed = await fetch(`${guard.url}/unloop/api/sessions`, { headers: viewer });
    const { sessions } = (await listed.json()) as { sessions: { interventions: object }[] };
    expect(sessions).toMatchObject([{ name: "nightly", tenant: "gateway", client: "litellm" }]);
    expect(Object.keys(sessions[0]?.interventions ?? {})).toContain("short-circuit");
    // LiteLLM gives an upstream's headers back under a prefix.
    expect(turns.at(-1)?.headers.get("llm_provider-x-unloop-verdict")).not.toBe("ok");
  });

  it("behind Unloop gets its own keys, and what it refuses comes back as it is", { timeout: 120_000 }, async () => {
    const upstream = await scripted(looping("nothing"));
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const given = { ...env, OPENAI_API_KEY: "sk-provider" };
    const running = play("litellm-behind.yaml", { "https://api.openai.com": upstream.url }, start(port), given);
    await answers(`${at}/health/liveliness`, running);
    const guard = await guardFor(at);
    const turns = await agent({ url: guard.url, upstream, headers, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    expect(turns.at(-1)?.headers.get("x-unloop-verdict")).not.toBe("ok");
    const refused = async (url: string) => {
      const body = { ...extra, messages: [{ role: "user", content: "Hello." }] };
      const response = await post(url, body, { authorization: "Bearer sk-of-nobody" });
      return [response.status, await response.json()];
    };
    expect(await refused(guard.url)).toEqual(await refused(at));
  });
});
