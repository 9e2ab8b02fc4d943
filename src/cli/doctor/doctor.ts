import { accessSync, constants } from "node:fs";
import { isIPv6 } from "node:net";
import { delimiter, join } from "node:path";
import { type Settings, standardSettings } from "../../config/config.ts";
import { loadSettings } from "../../config-file/config-file.ts";
import { UnloopError } from "../../errors.ts";
import { redisStores, serve } from "../../node.ts";
import { isGuard } from "../guard-health.ts";
import { type Agent, ANTHROPIC } from "../wrap/agent.ts";
import { agentNamed, agents } from "../wrap/agents.ts";
import { changedSurroundings } from "../wrap/agent-environment.ts";
import { agentSettings } from "./agent-settings.ts";
import type { DoctorCheck, Diagnosis } from "./check.ts";
import { port, redis, settingsAreValid } from "./installation.ts";
import { proxies } from "./proxies.ts";
import { arrivals } from "./traffic.ts";
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
      ...agents.map((one) => agentSettings(one, changedSurroundings(env, []), url)),
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
