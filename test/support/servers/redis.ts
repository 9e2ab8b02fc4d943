import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./http.ts";
import { redisBinary } from "./redis-binary.ts";

const pem = (name: string) => join(import.meta.dirname, `../../fixtures/tls/${name}.pem`);
/** Files of a certificate for this machine and `api.example` that is its own authority, until 2126. */
export const certificate = { cert: pem("cert"), key: pem("key") } as const;

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

export interface RedisServerOptions {
  readonly port?: number;
  /** An ACL user with a password who may use keys below `prefix`; the nameless one may do nothing then. */
  readonly user?: { readonly name: string; readonly password: string; readonly prefix: string };
  readonly tls?: boolean;
  readonly args?: readonly string[];
}

export async function startRedis(options: RedisServerOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "unloop-redis-"));
  const port = options.port ?? (await freePort());
  const { args, ca } = settingsOf(folder, port, options);
  const admin = new Redis({
    port,
    host: "127.0.0.1",
    lazyConnect: true,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    ...(options.user === undefined ? {} : { username: "root", password: "root" }),
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
  admin.on("error", () => undefined);

  let server: Running | undefined;
  const start = async () => {
    server = run(args, folder);
    await Promise.race([admin.ping(), server.failed]);
  };
  const kill = async () => {
    await server?.kill();
    server = undefined;
  };
  await start().catch((error: unknown) => {
    admin.disconnect();
    throw error;
  });
  const { user } = options;
  const credentials =
    user === undefined ? "" : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  return {
    port,
    url: `${ca === undefined ? "redis" : "rediss"}://${credentials}127.0.0.1:${port}`,
    ca,
    admin,
    freeze: () => server?.signal("SIGSTOP"),
    thaw: () => server?.signal("SIGCONT"),
    kill,
    start,
    async stop() {
      admin.disconnect();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function settingsOf(folder: string, port: number, { user, tls = false, args = [] }: RedisServerOptions) {
  const given = ["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no", "--daemonize", "no"];
  if (tls) {
    given.push("--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no");
    given.push("--tls-cert-file", certificate.cert, "--tls-key-file", certificate.key);
    given.push("--tls-ca-cert-file", certificate.cert);
  } else given.push("--port", String(port));
  if (user !== undefined) {
    const rules = [
      "user root on >root ~* &* +@all",
      `user ${user.name} on #${createHash("sha256").update(user.password).digest("hex")} resetchannels ~${user.prefix}* +@read +@write +@scripting +info +quit`,
      "user default off",
    ];
    writeFileSync(join(folder, "users.acl"), `${rules.join("\n")}\n`);
    given.push("--aclfile", join(folder, "users.acl"));
  }
  return { args: [...given, ...args], ca: tls ? readFileSync(certificate.cert, "utf8") : undefined };
}

type Running = ReturnType<typeof run>;

export function run(args: readonly string[], cwd: string) {
  const { path, env } = redisBinary();
  const child = spawn(path, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const watchdog = watch(child);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  let killed = false;
  const failed = once(child, "exit").then(([code]) => {
    watchdog.stdin?.end();
    if (!killed) throw new Error(`The Redis server ended with ${code}: ${said}`);
    return new Promise<never>(() => undefined);
  });
  failed.catch(() => undefined);
  return {
    signal: (name: NodeJS.Signals) => void child.kill(name),
    async kill() {
      killed = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    /** Rejects when the server ends by itself. */
    failed,
  };
}

/** Its input closes when this process ends, by whatever signal; then it ends the server. */
function watch({ pid }: ChildProcess): ChildProcess {
  const watchdog = spawn("sh", ["-c", `read _; kill -9 ${pid} 2>/dev/null`], { stdio: ["pipe", "ignore", "ignore"] });
  watchdog.unref();
  return watchdog;
}

export async function age(redis: Redis, prefix: string, ms: number): Promise<void> {
  // The ends of orders stand in their record.
  for (const key of await redis.keys(`${prefix}{directives}/all`)) {
    const record = (await redis.get(key)) ?? "";
    const aged = record.replaceAll(/"ends":(\d+)/g, (_, ends: string) => `"ends":${Number(ends) - ms}`);
    await redis.set(key, aged);
  }
  for (const key of await redis.keys(`${prefix}*`)) {
    const left = await redis.pttl(key);
    if (left >= 0) await redis.pexpire(key, left - Math.ceil(ms));
  }
}
