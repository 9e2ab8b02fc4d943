import type { Command } from "commander";
import { accessSync, constants } from "node:fs";
import { isIPv6 } from "node:net";
import { delimiter, join } from "node:path";
import { type Settings, standardSettings } from "../../config/config.ts";
import { UnloopError } from "../../errors.ts";
import { redisStores, serve } from "../../node.ts";
import { httpUrl } from "../../shapes/shapes.ts";
import { askGuard, guardUrl, isGuard } from "../guard-health.ts";
import { type Agent, type AgentEnvironment, ANTHROPIC, OPENAI } from "../wrap/agent.ts";
import { agentNamed, agents } from "../wrap/agents.ts";
import { surroundingsFor } from "../wrap/wrap.ts";
import { type Diagnosis, failed, ok, port, proxies, redis, checkedSettings, skipped, warning } from "./installation.ts";
import { answers, arrivals, type UpstreamApi } from "./traffic.ts";

interface Options {
  readonly guard?: string;
  readonly format: string;
}

export function addDoctorCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command("doctor")
    .description("Find out why an agent's requests are not guarded: each fault with its cure.")
    .argument("[agent]", `check one of ${agents.map(({ name }) => name).join(", ")}; default: those installed`)
    .option("--guard <url>", "the guard to look at (default: where the settings say that it listens)")
    .option("--format <format>", "text or json (one object a line)", "text")
    .action(async (agent: string | undefined, { guard, format }: Options) => {
      if (format !== "text" && format !== "json")
        throw new UnloopError("bad_setting", `--format must be text or json, not ${JSON.stringify(format)}.`);
      let failures = 0;
      for await (const found of diagnoses(agentsToSee(agent, process.env), guard && guardUrl(guard))) {
        if (found.status === "failed") failures += 1;
        process.stdout.write(format === "json" ? `${JSON.stringify(found)}\n` : lineFor(found));
      }
      done(failures === 0 ? 0 : 1);
    });
}

interface CheckedDiagnosis extends Diagnosis {
  readonly check: string;
}

const MARKS = { ok: "ok     ", warning: "warning", failed: "FAILED ", skipped: "-      " } as const;

function lineFor({ status, check, says, cure }: CheckedDiagnosis): string {
  const line = `${MARKS[status]}  ${check}: ${says}\n`;
  return cure === undefined ? line : `${line}         ${cure}\n`;
}

async function* diagnoses(seen: readonly Agent[], guard: string | undefined): AsyncGenerator<CheckedDiagnosis> {
  const { env } = process;
  const { settings, diagnosis } = checkedSettings(env);
  const url = guard || listeningUrl(settings);
  yield { check: "settings", ...diagnosis };
  yield { check: "port", ...(await port(url)) };
  yield { check: "Redis", ...(await redis(settings?.redisUrl, pingRedis)) };
  const proxy = proxies(env);
  yield { check: "proxy", ...proxy };
  // No guard starts with such variables.
  if (proxy.status === "failed") return;
  const isRunning = await isGuard(url, 2_000);
  const headers = env.UNLOOP_ADMIN_TOKEN ? { authorization: `Bearer ${env.UNLOOP_ADMIN_TOKEN}` } : {};
  const tried = isRunning ? { url, drain: async () => undefined } : await trialGuard(settings);
  try {
    const upstream = isRunning ? await upstreamOf(url, headers) : undefined;
    for (const api of apisIn(upstream ?? settings?.upstream, env))
      yield { check: `${api.name}: answer`, ...(await answers(api, tried.url)) };
    if (isRunning) for (const found of await arrivals(url, headers)) yield { check: "traffic", ...found };
    for (const agent of seen)
      for (const found of agentSettings(agent, surroundingsFor(env, []), url)) yield { check: agent.title, ...found };
  } finally {
    await tried.drain(0);
  }
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
      return false;
    }
  });
}

function listeningUrl({ host, port: number }: Pick<Settings, "host" | "port"> = standardSettings): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${number}`;
}

/** A guard that is only there to be asked; what is wrong with the settings has been said, so it does without them. */
function trialGuard({ upstream, upstreams }: Pick<Settings, "upstream" | "upstreams"> = standardSettings) {
  return serve({ ...standardSettings, upstream, upstreams, port: 0, log: "silent" });
}

async function pingRedis(url: string): Promise<void> {
  const stores = redisStores({ url });
  try {
    if (!(await stores.whenReady(3_000))) throw new Error("no connection within 3 seconds");
  } finally {
    await stores.sessions.close();
  }
}

/** To which API a running guard sends requests: it may have been started with other settings. Undefined for the vendors' own, or where it does not tell. */
async function upstreamOf(guard: string, headers: Readonly<Record<string, string>>): Promise<URL | undefined> {
  const answer = await askGuard(guard, "/unloop/api/status", { headers });
  const text = /"prefix":"\/","upstream":"([^"]*)"/.exec(answer?.text ?? "")?.[1] ?? "";
  return OPENAI.startsWith(text) ? undefined : httpUrl(text);
}

function apisIn(upstream: URL | undefined, env: NodeJS.ProcessEnv): readonly UpstreamApi[] {
  const { OPENAI_API_KEY: openai, ANTHROPIC_API_KEY: anthropic } = env;
  const [openAiHost, anthropicHost] = [new URL(OPENAI).host, new URL(ANTHROPIC).host];
  const keyFor = (host: string): Readonly<Record<string, string>> => {
    if (host === anthropicHost) return anthropic ? { "x-api-key": anthropic, "anthropic-version": "2023-06-01" } : {};
    return openai ? { authorization: `Bearer ${openai}` } : {};
  };
  const api = (name: string, host: string, prefix: string) => ({ name, host, prefix, headers: keyFor(host) });
  if (upstream !== undefined) return [api("upstream", upstream.host, "")];
  return [api("OpenAI", openAiHost, "/openai"), api("Anthropic", anthropicHost, "/anthropic")];
}

function agentSettings(agent: Agent, surroundings: AgentEnvironment, guard: string): readonly Diagnosis[] {
  const bases = new Set<string>();
  agent.wire(surroundings, (base) => {
    bases.add(base);
    return base;
  });
  if (bases.size === 0) return [skipped("It uses no known base URL.")];
  return [...bases].map((base) => baseUrlOf(agent, base, guard));
}

function baseUrlOf({ name }: Agent, base: string, guard: string): Diagnosis {
  const [url, own] = [httpUrl(base), new URL(guard)];
  if (url === undefined)
    return warning(`It uses ${JSON.stringify(base)}, which is not a URL.`, "Correct its settings.");
  if (/\/v1\/v1(?:\/|$)/.test(url.pathname))
    return failed(`It uses ${base}, which ends in /v1 twice.`, "Remove one: clients add the rest of the path.");
  const isSameHost = hostOf(url) === hostOf(own);
  if (isSameHost && url.port === own.port) return ok(`It uses ${base}, which is the guard.`);
  const cure = `Run \`unloop wrap ${name}\`, or set its base URL to the guard's.`;
  return isSameHost
    ? failed(`It uses ${base}, another port than the guard's: ${guard}.`, cure)
    : warning(`It uses ${base}, which bypasses the guard.`, cure);
}

const hostOf = ({ hostname }: URL) => (hostname === "localhost" ? "127.0.0.1" : hostname);
