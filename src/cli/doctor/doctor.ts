import { accessSync, constants } from "node:fs";
import { isIPv6 } from "node:net";
import { delimiter, join } from "node:path";
import { type Settings, standardSettings } from "../../config/config.ts";
import { loadSettings } from "../../config-file/config-file.ts";
import { UnloopError } from "../../errors.ts";
import { redisStores, serve } from "../../node.ts";
import { askGuard, isGuard } from "../guard-health.ts";
import { type Agent, type AgentEnvironment, ANTHROPIC } from "../wrap/agent.ts";
import { agentNamed, agents } from "../wrap/agents.ts";
import { surroundingsFor } from "../wrap/wrap.ts";
import {
  type Diagnosis,
  type DoctorCheck,
  failed,
  ok,
  port,
  redis,
  settingsAreValid,
  skipped,
  warning,
} from "./installation.ts";
import { answers, type UpstreamApi, upstreamOf } from "./upstreams.ts";

export interface DoctorOptions {
  /** The agent to look at; undefined: all known ones that are installed. */
  readonly agent: string | undefined;
  /** The guard to look at; undefined: where the settings say that it listens. */
  readonly guard: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Diagnosis with the name of its check. */
export interface NamedDiagnosis extends Diagnosis {
  readonly check: string;
}

/** Looks at everything that stands between an agent and a guarded answer. @throws UnloopError `bad_setting` for an unknown agent */
export async function* doctor({ agent, guard, env }: DoctorOptions): AsyncGenerator<NamedDiagnosis> {
  const agents = agentsToSee(agent, env);
  const settings = settingsIn(env);
  const url = guard ?? listeningUrl(settings);
  yield* diagnose([
    settingsAreValid(() => loadSettings({ env, flags: {} }).settings),
    port(url),
    redis(settings?.redisUrl, pingRedis),
  ]);
  const proxy = await proxies(env).run();
  yield* proxy.map((found) => ({ check: "proxy", ...found }));
  // No guard starts with such variables.
  if (proxy.some(({ status }) => status === "failed")) return;
  const running = await isGuard(url, 2_000);
  const tried = running ? { url, close: async () => undefined } : await trialGuard(settings);
  const sends = running ? await upstreamOf(url, env.UNLOOP_ADMIN_TOKEN) : undefined;
  try {
    yield* diagnose([
      ...apisIn(sends ?? settings?.upstream, env).map((api) => answers(api, tried.url)),
      ...(running ? [arrivals(url, env.UNLOOP_ADMIN_TOKEN)] : []),
      ...agents.map((one) => agentSettings(one, surroundingsFor(env, []), url)),
    ]);
  } finally {
    await tried.close();
  }
}

async function* diagnose(checks: readonly DoctorCheck[]): AsyncGenerator<NamedDiagnosis> {
  for (const check of checks) for (const diagnosis of await check.run()) yield { check: check.name, ...diagnosis };
}

function agentsToSee(name: string | undefined, env: NodeJS.ProcessEnv): readonly Agent[] {
  if (name === undefined) return agents.filter(({ command }) => isInstalled(command, env));
  const agent = agentNamed(name);
  if (agent !== undefined) return [agent];
  const names = agents.map((one) => one.name).join(", ");
  throw new UnloopError("bad_setting", `"${name}" is not a known agent. Known agents: ${names}.`);
}

function isInstalled(command: string, { PATH = "" }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      // Not in this folder.
      return false;
    }
  });
}

function listeningUrl({ host, port: number }: Pick<Settings, "host" | "port"> = standardSettings): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${number}`;
}

/** Undefined where they are not valid; the check of the settings says why. */
function settingsIn(env: NodeJS.ProcessEnv): Settings | undefined {
  try {
    return loadSettings({ env, flags: {} }).settings;
  } catch {
    return undefined;
  }
}

/** A guard that is only there to be asked; what is wrong with the settings has been said, so it does without them. */
async function trialGuard({
  upstream,
  upstreams,
}: Pick<Settings, "upstream" | "upstreams"> = standardSettings): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const { url, drain } = await serve({ ...standardSettings, upstream, upstreams, port: 0, log: "silent" });
  return { url, close: () => drain(0) };
}

async function pingRedis(url: string): Promise<void> {
  const stores = redisStores({ url });
  try {
    if (!(await stores.whenReady(3_000))) throw new Error("no connection within 3 seconds");
  } finally {
    await stores.sessions.close();
  }
}

/** The APIs in front of which the guard stands, each with the key that the environment has for it. */
function apisIn(upstream: URL | undefined, env: NodeJS.ProcessEnv): readonly UpstreamApi[] {
  const openai: Readonly<Record<string, string>> = env.OPENAI_API_KEY
    ? { authorization: `Bearer ${env.OPENAI_API_KEY}` }
    : {};
  const anthropic: Readonly<Record<string, string>> = env.ANTHROPIC_API_KEY
    ? { "x-api-key": env.ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01" }
    : {};
  if (upstream !== undefined) {
    const isAnthropic = upstream.host === new URL(ANTHROPIC).host;
    return [{ name: "upstream", origin: upstream, prefix: "", headers: isAnthropic ? anthropic : openai }];
  }
  return [
    { name: "OpenAI", origin: new URL("https://api.openai.com"), prefix: "/openai", headers: openai },
    { name: "Anthropic", origin: new URL(ANTHROPIC), prefix: "/anthropic", headers: anthropic },
  ];
}

const NAMES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];
const LOOPBACK = ["127.0.0.1", "localhost"];

/** Whether the proxy variables can be read, and lead no agent's request for the guard through a proxy. */
export function proxies(env: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: "proxy",
    async run() {
      const set = NAMES.filter((name) => env[name]);
      if (set.length === 0) return [skipped("No proxy variable is set.")];
      const wrong = set.filter((name) => !isUrl(env[name] ?? ""));
      if (wrong.length > 0)
        return [failed(`${wrong.join(", ")} has no URL of a proxy.`, "Write http://HOST:PORT, or unset it.")];
      const exempt = (env.no_proxy || env.NO_PROXY || "").split(",").map((host) => host.trim());
      const hosts = [...new Set(set.map((name) => new URL(env[name] ?? "").host))].join(", ");
      if (exempt.includes("*") || LOOPBACK.every((host) => exempt.includes(host)))
        return [ok(`The guard asks upstreams through ${hosts}, and agents ask the guard directly.`)];
      return [
        warning(
          `The guard asks upstreams through ${hosts}, but NO_PROXY lacks 127.0.0.1 or localhost: agents send requests for the guard to the proxy, keys included.`,
          "Add 127.0.0.1,localhost to NO_PROXY where agents run, or start them with `unloop wrap`.",
        ),
      ];
    },
  };
}

function isUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Which base URLs an agent would use as it is set up, and whether they lead to a guard. */
function agentSettings(agent: Agent, surroundings: AgentEnvironment, guard: string): DoctorCheck {
  return {
    name: agent.title,
    async run() {
      const bases = [...basesOf(agent, surroundings)];
      if (bases.length === 0) return [skipped("It uses no known base URL.")];
      return bases.map((base) => judged(agent, base, guard));
    },
  };
}

function basesOf(agent: Agent, surroundings: AgentEnvironment): ReadonlySet<string> {
  const bases = new Set<string>();
  agent.wire(surroundings, (base) => {
    bases.add(base);
    return base;
  });
  return bases;
}

function judged({ name }: Agent, base: string, guard: string): Diagnosis {
  if (!URL.canParse(base))
    return warning(`It uses ${JSON.stringify(base)}, which is not a URL.`, "Correct its settings.");
  if (/\/v1\/v1(?:\/|$)/.test(new URL(base).pathname))
    return failed(`It uses ${base}, which ends in /v1 twice.`, "Remove one: clients add the rest of the path.");
  if (sameServer(new URL(base), new URL(guard))) return ok(`It uses ${base}, which is the guard.`);
  return warning(
    `It uses ${base}, which bypasses the guard.`,
    `Run \`unloop wrap ${name}\`, or set its base URL to the guard's.`,
  );
}

function sameServer(one: URL, other: URL): boolean {
  const host = ({ hostname }: URL) => (hostname === "localhost" ? "127.0.0.1" : hostname);
  return host(one) === host(other) && one.port === other.port;
}

/** Whether any agent's requests come through a guard, and whether they could be read. @param token for its metrics */
export function arrivals(guard: string, token: string | undefined): DoctorCheck {
  return {
    name: "traffic",
    async run() {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await askGuard(guard, "/unloop/metrics", { headers });
      if (answer?.status === 401 || answer?.status === 403)
        return [skipped("The guard's metrics need its token. Set UNLOOP_ADMIN_TOKEN to check its traffic.")];
      if (answer?.status !== 200) return [skipped("The guard has no metrics.")];
      const passed = passedIn(answer.text);
      return [
        ...judgedTraffic(exchangesIn(answer.text), errorsIn(answer.text)),
        ...judgedUnread(passed),
        ...judgedPassing(passed),
      ];
    },
  };
}

/** Guarded exchanges so far, by verdict. @param metrics in the Prometheus text format */
function exchangesIn(metrics: string): ReadonlyMap<string, number> {
  return countsIn(metrics, /^unloop_exchanges_total\{(?:[^}]*,)?verdict="([^"]*)"[^}]*\} ([\d.e+]+)$/);
}

/** Guarded exchanges so far that the upstream did not answer, by status. */
function errorsIn(metrics: string): ReadonlyMap<string, number> {
  return countsIn(metrics, /^unloop_upstream_errors_total\{(?:[^}]*,)?status="([^"]*)"[^}]*\} ([\d.e+]+)$/);
}

/** Requests to models so far at endpoints that are not guarded, by endpoint. */
function passedIn(metrics: string): ReadonlyMap<string, number> {
  return countsIn(metrics, /^unloop_unguarded_requests_total\{endpoint="((?!other")[^"]*)"\} ([\d.e+]+)$/);
}

/** Sums by the pattern's first group, of the numbers in its second. */
function countsIn(metrics: string, pattern: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of metrics.split("\n")) {
    const [, name, count] = pattern.exec(line) ?? [];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  return counts;
}

/** What it is that a request of a guarded API could not be read for, by its name in the metric. */
const UNREAD: Readonly<Record<string, string>> = {
  "unread-size": "over 32 MB",
  "unread-coding": "an unknown content coding",
  "unread-encoding": "not UTF-8",
  "unread-json": "not JSON",
  "unread-shape": "another shape than the API's",
};

function judgedUnread(counts: ReadonlyMap<string, number>): readonly Diagnosis[] {
  const told = Object.entries(UNREAD).flatMap(([name, says]) =>
    counts.has(name) ? `${says} (${counts.get(name)})` : [],
  );
  if (told.length === 0) return [];
  return [
    warning(
      `Requests of guarded APIs could not be read and passed unguarded: ${told.join(", ")}.`,
      "Let these agents send plain JSON in UTF-8; docs/what-passes.md says what is read.",
    ),
  ];
}

function judgedPassing(counts: ReadonlyMap<string, number>): readonly Diagnosis[] {
  const passed = [...counts].filter(([endpoint]) => !(endpoint in UNREAD));
  if (passed.length === 0) return [];
  const told = passed.map(([endpoint, count]) => `${endpoint} (${count})`).join(", ");
  return [
    warning(
      `Requests to models come at endpoints that are not guarded: ${told}. Loops of these agents are not noticed.`,
      "Let these agents use a guarded API, if their server has one: see docs/wires.md.",
    ),
  ];
}

const totalOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** What every request that fails alike has against it. */
const FAILURE_CURES: Readonly<Record<string, string>> = {
  401: "Give the agent its API key.",
  403: "Give the agent a key that may use this API and model.",
  404: "Check the agent's base URL: it ends in /v1 once, as in http://127.0.0.1:8787/v1; and the path in UNLOOP_UPSTREAM.",
  429: "The API limits this key: wait, or raise its limit.",
};

function judgedTraffic(counts: ReadonlyMap<string, number>, errors: ReadonlyMap<string, number>): readonly Diagnosis[] {
  const total = totalOf(counts);
  if (total === 0) {
    return [
      warning(
        "No agent's request has come through the guard since it started.",
        "Point the agent's base URL at it, or run the agent with `unloop wrap AGENT`.",
      ),
    ];
  }
  const [[status = ""] = []] = errors;
  if (totalOf(errors) >= total)
    return [
      failed(
        `${total} guarded ${total === 1 ? "request has" : "requests have"} come through, and the API answered none (${[...errors.keys()].join(", ")}).`,
        FAILURE_CURES[status] ?? "The log's `exchange` lines have each; `unloop doctor` asks the API itself above.",
      ),
    ];
  const unread = counts.get("unguarded") ?? 0;
  const diagnosis = ok(`${total} guarded ${total === 1 ? "request has" : "requests have"} come through.`);
  if (unread === 0) return [diagnosis];
  return [
    diagnosis,
    warning(
      `${unread} of them could not be read and passed unchanged.`,
      "See `unguarded` in docs/headers.md. Compressed bodies and unknown formats pass unread.",
    ),
  ];
}
