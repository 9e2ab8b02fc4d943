import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { apiClient, apiRig } from "../admin/api-rig.ts";
import { client, configFile, token, tokenOf } from "../admin/config-file.ts";
import { files } from "../cli/command.ts";
import { agent, post } from "../proxy/guard-rig.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { isInstalled } from "../support/processes/installed.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { freePort } from "../support/servers/http.ts";
import { serverOf, upstreamOf } from "../support/servers/of-test.ts";

const recipes = resolve(import.meta.dirname, "../../deploy/recipes");

type Start = (file: string) => readonly string[];
const nginx: Start = (file) => ["nginx", "-c", file, "-e", "stderr", "-g", "daemon off;"];

async function play(
  [recipe, start, url]: readonly [recipe: string, start: Start, url: string],
  changes: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const file = files({ [recipe]: "" })[recipe] ?? "";
  let text = readFileSync(join(recipes, recipe), "utf8").replaceAll("/tmp/unloop-", `${dirname(file)}/`);
  for (const [from, to] of Object.entries(changes)) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  writeFileSync(file, text);
  const [program = "", ...args] = start(file);
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  let said = "";
  child.stderr.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-2_000);
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
  });
  const answers = () =>
    fetch(url).then(
      ({ status }) => status < 500,
      () => false,
    );
  await expect.poll(answers, { timeout: 30_000, message: said }).toBe(true);
}

async function guardFor(upstream: string, env: Readonly<Record<string, string>> = {}) {
  const guard = await startGuard({ upstream, env });
  onTestFinished(guard.close);
  return guard.url;
}

describe.each<{ program: string; recipe: string; start: Start; separator?: string }>([
  { program: "nginx", recipe: "nginx.conf", start: nginx },
  { program: "haproxy", recipe: "haproxy.cfg", start: (file) => ["haproxy", "-db", "-f", file] },
  {
    program: "envoy",
    recipe: "envoy.yaml",
    start: (file) => ["envoy", "-c", file, "--concurrency", "1", "--use-dynamic-base-id", "-l", "error"],
    separator: ", port_value: ",
  },
])("$program before two replicas (left out without it)", ({ program, recipe, start, separator = ":" }) => {
  async function ingress(...guards: readonly string[]) {
    const url = `http://127.0.0.1:${await freePort()}`;
    const at = (port: string) => `127.0.0.1${separator}${port}`;
    const changes = [url, ...guards].map((to, i) => [at(["8080", "8787", "8788"][i] ?? ""), at(new URL(to).port)]);
    await play([recipe, start, `${url}/v1/models`], Object.fromEntries(changes));
    return url;
  }

  it.skipIf(!isInstalled(program))(
    "keeps each run on one replica, the page and too large bodies to the guards",
    {
      timeout: 60_000,
    },
    async () => {
      const [a, b] = [await upstreamOf(healthy(1)), await upstreamOf(healthy(1))];
      const env = { UNLOOP_MAX_BODY_BYTES: String(2 << 20) };
      const url = await ingress(await guardFor(a.url, env), await guardFor(b.url, env));
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
      const { status, text } = await post(url, chatBody([user("x".repeat(3 << 20))]));
      expect([status, JSON.parse(text)]).toMatchObject([413, { error: { code: expect.any(String) } }]);
    },
  );

  it.skipIf(!isInstalled(program))("passes each event on before the next one comes", { timeout: 60_000 }, async () => {
    let next = () => {};
    const event = (content: string) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] })}\n\n`;
    // A model that goes on only when its last event has been taken.
    const model = await serverOf(async (incoming, outgoing) => {
      incoming.resume();
      if (incoming.method !== "POST") return void outgoing.end("{}");
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      for (const word of ["one", "two", "three"]) {
        outgoing.write(event(word));
        await new Promise<void>((taken) => (next = taken));
      }
      outgoing.end("data: [DONE]\n\n");
    });
    const url = await ingress(await guardFor(model), await guardFor(model));
    const headers = { "content-type": "application/json" };
    const body = chatBody([user("Count.")], { stream: true });
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    let text = "";
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      if (/data: \{[^\n]*\n\n$/.test(text)) next();
    }
    expect(text.match(/"content":"\w+"/g)).toEqual(['"content":"one"', '"content":"two"', '"content":"three"']);
  });
});

it.skipIf(!isInstalled("nginx"))(
  "nginx lets in who has signed in, by the name and group of the sign-on, whatever a browser sends (left out without nginx)",
  { timeout: 60_000 },
  async () => {
    const groups: Readonly<Record<string, string>> = { ana: "agents-operators", ben: "others,staff", eve: "others" };
    // What oauth2-proxy says of the cookies that it has given.
    const signOn = await serverOf(({ url, headers: { cookie = "" } }, outgoing) => {
      if (url !== "/oauth2/auth") return void outgoing.end("Sign in");
      const fields = { "x-auth-request-email": `${cookie}@example.com`, "x-auth-request-groups": groups[cookie] ?? "" };
      outgoing.writeHead(cookie in groups ? 202 : 401, fields).end();
    });
    const tokens = Object.entries({ operate: "agents-operators", read: "staff" }).map(
      ([role, group]) => `{ name: ${role}, role: ${role}, group: ${group} }`,
    );
    const text = `admin: { proxies: [127.0.0.1], tokens: [${tokens.join(", ")}] }`;
    const guard = await guardFor("http://127.0.0.1:9", { UNLOOP_CONFIG: configFile(text).path });
    const front = `127.0.0.1:${await freePort()}`;
    const addresses = { "127.0.0.1:4180": new URL(signOn).host, "127.0.0.1:8787": new URL(guard).host };
    await play(["identity.conf", nginx, `http://${front}/unloop/`], { "127.0.0.1:8081": front, ...addresses });
    const claims = { "x-forwarded-groups": "agents-operators", "x-forwarded-email": "root@example.com" };
    const said = async (cookie: string) =>
      (await fetch(`http://${front}/unloop/api/status`, { headers: { ...claims, cookie } })).text();
    expect(await said("")).toContain("Sign in");
    expect(JSON.parse(await said("ana"))).toMatchObject({ actor: "ana@example.com", role: "operate" });
    expect(JSON.parse(await said("ben"))).toMatchObject({ actor: "ben@example.com", role: "read" });
    expect(JSON.parse(await said("eve"))).toMatchObject({ error: { code: "forbidden" } });
  },
);

it.skipIf(!isInstalled("prometheus"))(
  "Prometheus scrapes with a token that may do nothing else (left out without prometheus)",
  { timeout: 60_000 },
  async () => {
    const scrape = files({ token: tokenOf("prometheus") }).token;
    const config = configFile(`admin: { tokens: [${token("prometheus", "metrics")}] }`);
    const guard = await guardFor("http://127.0.0.1:9", { UNLOOP_CONFIG: config.path });
    const address = `127.0.0.1:${await freePort()}`;
    const changes = {
      "127.0.0.1:8787": new URL(guard).host,
      "/run/secrets/scrape": scrape,
      "../prometheus-rules.yaml": join(recipes, "../prometheus-rules.yaml"),
      "scrape_interval: 15s": "scrape_interval: 1s",
    };
    const start: Start = (file) => [
      ...["prometheus", `--config.file=${file}`, `--storage.tsdb.path=${scrape}-data`],
      ...[`--web.listen-address=${address}`, "--log.level=error"],
    ];
    await play(["prometheus.yml", start, `http://${address}/-/ready`], changes);
    const targets = async () => (await fetch(`http://${address}/api/v1/targets`)).text();
    await expect.poll(targets, { timeout: 30_000 }).toContain('"health":"up"');
    expect((await apiClient(guard, tokenOf("prometheus"))("listSessions")).status).toBe(403);
  },
);

describe.skipIf(!isInstalled("litellm"))("LiteLLM (left out without litellm)", () => {
  const master = "sk-of-the-team";
  const headers = { authorization: `Bearer ${master}`, "x-unloop-session": "nightly" };
  const extra = { model: "gpt-5-mini" };

  async function litellm(recipe: string, changes: Readonly<Record<string, string>>, more: Record<string, string>) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const start: Start = (file) => ["litellm", "--config", file, "--host", "127.0.0.1", "--port", `${port}`];
    const env = { LITELLM_MASTER_KEY: master, LITELLM_LOCAL_MODEL_COST_MAP: "True", ...more };
    await play([recipe, start, `${url}/health/liveliness`], changes, env);
    return url;
  }

  it("before Unloop keeps its keys to itself, and a loop is ended through it", { timeout: 120_000 }, async () => {
    const keyed = client("litellm", "gateway", ", upstreamKey: { env: PROVIDER_KEY }");
    const config = configFile(`clients: [${keyed}]\nadmin: { tokens: [${token("viewer", "read")}] }`);
    const env = { UNLOOP_CONFIG: config.path, PROVIDER_KEY: "sk-provider", UNLOOP_ADMIN_TOKEN: tokenOf("viewer") };
    const rig = await apiRig(env);
    const url = await litellm("litellm.yaml", { "http://127.0.0.1:8787": rig.url }, { UNLOOP_KEY: "ul-litellm" });
    const turns = await agent({ url, upstream: rig.upstream, headers, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    const sent = rig.upstream.requests.map(({ fields }) => fields);
    expect(sent.map(({ authorization }) => authorization)).toContain("Bearer sk-provider");
    expect(JSON.stringify(sent)).not.toContain(master);
    const [session] = await rig.sessions({ name: "nightly", tenant: "gateway", client: "litellm" });
    expect(Object.keys(session.interventions)).toContain("short-circuit");
    // LiteLLM gives an upstream's headers back under a prefix.
    expect(turns.at(-1)?.headers.get("llm_provider-x-unloop-verdict")).not.toBe("ok");
  });

  it("behind Unloop gets its own keys, and what it refuses comes back as it is", { timeout: 120_000 }, async () => {
    const upstream = await upstreamOf(looping("nothing"));
    const provider = { OPENAI_API_KEY: "sk-provider" };
    const at = await litellm("litellm-behind.yaml", { "https://api.openai.com": upstream.url }, provider);
    const url = await guardFor(at);
    const turns = await agent({ url, upstream, headers, extra }).turns(8);
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200));
    expect(turns.at(-1)?.headers.get("x-unloop-verdict")).not.toBe("ok");
    const refused = async (to: string) => {
      const { status, text } = await post(to, chatBody([user("Hello.")], extra), { authorization: "Bearer nobody" });
      return [status, JSON.parse(text)];
    };
    expect(await refused(url)).toEqual(await refused(at));
  });
});
