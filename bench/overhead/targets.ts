import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../test/support/servers/http.ts";
import { type RedisServer, startRedis } from "../../test/support/servers/redis.ts";
import type { Address } from "../load/player.ts";
import { pinned, reachable } from "../load/process.ts";
import { LOAD_CORE, MEASURED_CORE } from "../load/rig.ts";
import { PORTKEY_VERSION, portkeyEntry } from "./portkey.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const server = (file: string) => resolve(import.meta.dirname, "servers", file);

export type TargetName = "direct" | "bare" | "parse" | "unloop" | "unloop-redis" | "other" | "other-redis" | "portkey";

/** A server before the model. */
export interface Running {
  readonly address: Address;
  /** Undefined where nothing stands between agent and model. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Target {
  readonly name: TargetName;
  readonly title: string;
  /** @returns undefined when it cannot be had here */
  start(upstreamPort: number, how?: How): Promise<Running | undefined>;
}

/** What else it is started with. */
export interface How {
  /** For node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Checkout whose build is started; this one by default. */
  readonly folder?: string;
}

/** What is measured beside what, on its own core each in its turn; the rest is on the other. */
export const targets: readonly Target[] = [
  {
    name: "direct",
    title: "direct",
    start: async (port) => ({
      address: { port, headers: {}, isExact: true },
      pid: undefined,
      stop: async () => undefined,
    }),
  },
  ofScript("bare", "bare: `node:http` + `undici.dispatch`, no parse"),
  ofScript("parse", "hono + undici, body as text + `JSON.parse`"),
  { name: "unloop", title: "**Unloop**, memory store", start: startUnloop },
  { name: "unloop-redis", title: "**Unloop**, Redis", start: startWithRedis },
  ...otherBuild(process.env.UNLOOP_OTHER_BUILD),
  { name: "portkey", title: `Portkey gateway ${PORTKEY_VERSION}`, start: startPortkey },
];

/** @throws when there is none */
export function targetNamed(name: string): Target {
  const found = targets.find((target) => target.name === name);
  if (found === undefined)
    throw new Error(`There is no target ${name}; choose ${targets.map((one) => one.name).join(", ")}.`);
  return found;
}

function ofScript(name: "bare" | "parse", title: string): Target {
  return {
    name,
    title,
    async start(upstreamPort, { flags = [] } = {}) {
      const port = await freePort();
      // For the profile's sake it ends as a guest does.
      const guest = ["--import", server("guest.mjs")];
      const args = [...flags, ...guest, server(`${name}.mjs`), String(port), `http://127.0.0.1:${upstreamPort}`];
      return listening(port, args, { headers: {}, isExact: true });
    },
  };
}

/** @param folder of another checkout, built, to be measured beside this one */
function otherBuild(folder: string | undefined): readonly Target[] {
  if (folder === undefined) return [];
  return [
    {
      name: "other",
      title: "the other build, memory store",
      start: (port, how) => startUnloop(port, { ...how, folder }),
    },
    {
      name: "other-redis",
      title: "the other build, Redis",
      start: (port, how) => startWithRedis(port, { ...how, folder }),
    },
  ];
}

/** As it is by default, detectors and all; what it logs is dropped. */
export async function startUnloop(
  upstreamPort: number,
  { flags = [], env = {}, folder = ROOT }: How = {},
): Promise<Running> {
  const port = await freePort();
  const args = [...flags, resolve(folder, "bin/unloop.mjs"), "serve"];
  const running = await listening(
    port,
    args,
    { headers: {}, isExact: true },
    {
      UNLOOP_PORT: String(port),
      UNLOOP_UPSTREAM: `http://127.0.0.1:${upstreamPort}`,
      UNLOOP_SECRET: "the secret of this benchmark",
      ...env,
    },
  );
  while (!(await fetch(`http://127.0.0.1:${port}/unloop/readyz`)).ok) await pause(20);
  return running;
}

async function startWithRedis(upstreamPort: number, { env = {}, ...how }: How = {}): Promise<Running> {
  const redis = await startRedisBeside();
  const unloop = await startUnloop(upstreamPort, { ...how, env: { ...besideRedis(redis), ...env } });
  return {
    ...unloop,
    async stop() {
      await unloop.stop();
      await redis.stop();
    },
  };
}

/** On a busy machine a process waits longer than the usual 50 ms for its processor. */
const besideRedis = ({ url }: RedisServer) => ({ REDIS_URL: url, UNLOOP_STORE_DEADLINE_MS: "500" });

/** On the core of the load. */
async function startRedisBeside(): Promise<RedisServer> {
  const redis = await startRedis();
  const pid = /process_id:(\d+)/.exec(await redis.admin.info("server"))?.[1] ?? "";
  execFileSync("taskset", ["-a", "-p", "-c", String(LOAD_CORE), pid], { stdio: "ignore" });
  return redis;
}

async function startPortkey(upstreamPort: number, { flags = [] }: How = {}): Promise<Running | undefined> {
  const entry = portkeyEntry();
  if (entry === undefined) return undefined;
  const port = await freePort();
  const args = [...flags, "--import", server("guest.mjs"), entry, `--port=${port}`, "--headless"];
  const headers = {
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
  };
  return listening(port, args, { headers, isExact: false });
}

async function listening(
  port: number,
  args: readonly string[],
  address: Omit<Address, "port">,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const process = pinned(args, { core: MEASURED_CORE, env });
  await reachable(port, process);
  return { address: { port, ...address }, pid: process.pid, stop: process.stop };
}
