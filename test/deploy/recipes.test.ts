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

const replica = async (script = healthy(1)) => {
  const upstream = await scriptedUpstream(script);
  onTestFinished(upstream.close);
  const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_MAX_BODY_BYTES: String(2 << 20) } });
  onTestFinished(guard.close);
  return { upstream, guard, host: new URL(guard.url).host };
};

describe.each([
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
])("$program before two replicas", ({ program, recipe, start, separator }) => {
  async function ingress(hosts: readonly [string, string]) {
    const port = await freePort();
    const at = (host: string) => `127.0.0.1${separator}${host.split(":").at(-1)}`;
    const running = play(
      recipe,
      Object.fromEntries(
        [
          ["8080", `127.0.0.1:${port}`],
          ["8787", hosts[0]],
          ["8788", hosts[1]],
        ].map(([from = "", to = ""]) => [`127.0.0.1${separator}${from}`, at(to)]),
      ),
      start,
    );
    const url = `http://127.0.0.1:${port}`;
    await answers(`${url}/v1/models`, running);
    return url;
  }

  it.skipIf(!isInstalled(program))(
    `keeps each run on one replica, and the page to itself (left out without ${program})`,
    { timeout: 60_000 },
    async () => {
      const [a, b] = [await replica(), await replica()];
      const url = await ingress([a.host, b.host]);
      const runs = Array.from({ length: 16 }, (_, i) => `run-${i}`);
      for (const run of runs)
        await agent({ url, upstream: a.upstream, headers: { "x-unloop-session": run, "x-run": run } }).turns(2);
      const seen = (one: typeof a) =>
        one.upstream.requests.map(({ fields }) => fields["x-run"]).filter((run) => run !== undefined);
      const [ofA, ofB] = [new Set(seen(a)), new Set(seen(b))];
      expect([...ofA].filter((run) => ofB.has(run))).toEqual([]);
      expect(seen(a).length + seen(b).length).toBe(2 * runs.length);
      expect(Math.min(ofA.size, ofB.size)).toBeGreaterThan(0);
      for (const path of ["/unloop/", "/unloop/api/status", "/unloop/metrics"])
        expect((await fetch(url + path)).status).toBe(404);
    },
  );

  it.skipIf(!isInstalled(program))(
    `has Unloop itself refuse a body that is too large (left out without ${program})`,
    { timeout: 60_000 },
    async () => {
      const [a, b] = [await replica(), await replica()];
      const url = await ingress([a.host, b.host]);
      const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(3 << 20) }] });
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect([response.status, await response.json()]).toMatchObject([413, { error: { code: expect.any(String) } }]);
    },
  );

  it.skipIf(!isInstalled(program))(
    `passes each event on before the next one comes (left out without ${program})`,
    { timeout: 60_000 },
    async () => {
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
      const upstream = await listening(model);
      onTestFinished(() => closing(model));
      const guards = [await startGuard({ upstream }), await startGuard({ upstream })] as const;
      for (const { close } of guards) onTestFinished(close);
      const url = await ingress([new URL(guards[0].url).host, new URL(guards[1].url).host]);
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Count." }] }),
      });
      let text = "";
      for await (const piece of response.body ?? []) {
        text += Buffer.from(piece).toString();
        // The model goes on only when its last event has arrived here.
        if (/data: \{[^\n]*\n\n$/.test(text)) next();
      }
      expect(text.match(/"content":"\w+"/g)).toEqual(['"content":"one"', '"content":"two"', '"content":"three"']);
    },
  );
});

it.skipIf(!isInstalled("prometheus"))(
  "Prometheus scrapes with a token that may do nothing else (left out without prometheus)",
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "unloop-recipe-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const token = "s".repeat(32);
    writeFileSync(join(folder, "token"), token);
    writeFileSync(
      join(folder, "unloop.yaml"),
      `admin: { tokens: [{ name: prometheus, role: metrics, sha256: ${sha256Hex(token)} }] }`,
    );
    const guard = await startGuard({
      upstream: "http://127.0.0.1:9",
      env: { UNLOOP_CONFIG: join(folder, "unloop.yaml") },
    });
    onTestFinished(guard.close);
    const address = `127.0.0.1:${await freePort()}`;
    play(
      "prometheus.yml",
      {
        "127.0.0.1:8787": new URL(guard.url).host,
        "/run/secrets/scrape": join(folder, "token"),
        "../prometheus-rules.yaml": join(recipes, "../prometheus-rules.yaml"),
        "scrape_interval: 15s": "scrape_interval: 1s",
      },
      (file) => [
        "prometheus",
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=${address}`,
        "--log.level=error",
      ],
    );
    const targets = async () => {
      const response = await fetch(`http://${address}/api/v1/targets`);
      return JSON.stringify(await response.json());
    };
    await expect.poll(() => targets().catch(() => ""), { timeout: 30_000 }).toContain('"health":"up"');
    const response = await fetch(`${guard.url}/unloop/api/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
  },
);

describe.skipIf(!isInstalled("litellm"))("LiteLLM (left out without litellm)", () => {
  const master = "sk-of-the-team";
  const env = { LITELLM_MASTER_KEY: master, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  const start = (port: number) => (file: string) => [
    "litellm",
    "--config",
    file,
    "--host",
    "127.0.0.1",
    "--port",
    `${port}`,
  ];
  const asAgent = { authorization: `Bearer ${master}`, "x-unloop-session": "nightly" };
  const extra = { model: "gpt-5-mini" };

  it("before Unloop keeps its keys to itself, and a loop is ended through it", { timeout: 120_000 }, async () => {
    const upstream = await scriptedUpstream(looping("nothing"));
    onTestFinished(upstream.close);
    const folder = mkdtempSync(join(tmpdir(), "unloop-recipe-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, "unloop.yaml");
    writeFileSync(
      config,
      `clients: [{ name: litellm, tenant: gateway, sha256: ${sha256Hex("ul-of-litellm")}, upstreamKey: { env: PROVIDER_KEY } }]
admin: { tokens: [{ name: viewer, role: read, sha256: ${sha256Hex("t".repeat(20))} }] }`,
    );
    const guard = await startGuard({
      upstream: upstream.url,
      env: { UNLOOP_CONFIG: config, PROVIDER_KEY: "sk-provider" },
    });
    onTestFinished(guard.close);
    const port = await freePort();
    const addresses = { "http://127.0.0.1:8787": guard.url };
    const url = `http://127.0.0.1:${port}`;
    await answers(
      `${url}/health/liveliness`,
      play("litellm.yaml", addresses, start(port), { ...env, UNLOOP_KEY: "ul-of-litellm" }),
    );
    const turns = await agent({ url, upstream, headers: asAgent, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    expect(upstream.requests.map(({ fields }) => fields.authorization)).toContain("Bearer sk-provider");
    expect(JSON.stringify(upstream.requests.map(({ fields }) => fields))).not.toContain(master);
    const listed = await fetch(`${guard.url}/unloop/api/sessions`, {
      headers: { authorization: `Bearer ${"t".repeat(20)}` },
    });
    const { sessions } = (await listed.json()) as { sessions: { interventions: object }[] };
    expect(sessions).toMatchObject([{ name: "nightly", tenant: "gateway", client: "litellm" }]);
    expect(Object.keys(sessions[0]?.interventions ?? {})).toContain("short-circuit");
    // LiteLLM gives an upstream's headers back under a prefix.
    expect(turns.at(-1)?.headers.get("llm_provider-x-unloop-verdict")).not.toBe("ok");
  });

  it("behind Unloop gets its own keys, and what it refuses comes back as it is", { timeout: 120_000 }, async () => {
    const upstream = await scriptedUpstream(looping("nothing"));
    onTestFinished(upstream.close);
    const port = await freePort();
    const running = play("litellm-behind.yaml", { "https://api.openai.com": upstream.url }, start(port), {
      ...env,
      OPENAI_API_KEY: "sk-provider",
    });
    await answers(`http://127.0.0.1:${port}/health/liveliness`, running);
    const guard = await startGuard({ upstream: `http://127.0.0.1:${port}` });
    onTestFinished(guard.close);
    const turns = await agent({ url: guard.url, upstream, headers: asAgent, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    expect(turns[0]?.headers.get("x-litellm-key-spend")).toMatch(/\d/);
    expect(turns.at(-1)?.headers.get("x-unloop-verdict")).not.toBe("ok");
    const refused = async (url: string) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer sk-of-nobody", "content-type": "application/json" },
        body: JSON.stringify({ ...extra, messages: [{ role: "user", content: "Hello." }] }),
      });
      return [response.status, await response.json()];
    };
    expect(await refused(guard.url)).toEqual(await refused(`http://127.0.0.1:${port}`));
  });
});
