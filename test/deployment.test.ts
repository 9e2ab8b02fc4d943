import { existsSync, readFileSync } from "node:fs";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readSettings } from "../src/config/config.ts";
import { readRedisUrl } from "../src/store/redis/url.ts";

const at = (path: string) => new URL(`../${path}`, import.meta.url);
const text = (path: string) => readFileSync(at(path), "utf8");

describe("the Dockerfile", () => {
  const dockerfile = text("Dockerfile");
  const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
  const last = stages.at(-1) ?? "";

  it("has nothing that the linter objects to, and runs on Node 24, not as root, with nothing of the build but the command line, which has its dependencies inside", () => {
    const problems = validate(dockerfile).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
    expect(problems).toEqual([]);
    expect(stages.every((stage) => stage.startsWith("FROM node:24-slim"))).toBe(true);
    expect(last).toMatch(/^USER node$/m);
    expect(last).not.toMatch(/^RUN /m);
    expect([...last.matchAll(/^COPY --from=(\w+) (\S+)/gm)].map(([, stage, path]) => `${stage} ${path}`)).toEqual([
      "build /build/docs",
      "build /build/dist",
    ]);
  });

  it("copies only files that there are and that .dockerignore lets through", () => {
    const allowed = text(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"));
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      expect(existsSync(at(path)), path).toBe(true);
      expect(allowed).toContain(`!${path}`);
    }
  });
});

describe("docker-compose.yml", () => {
  const { services, volumes, networks } = parse(text("docker-compose.yml"));
  const secrets: Readonly<Record<string, string>> = { REDIS_PASSWORD: "0".repeat(64), UNLOOP_SECRET: "1".repeat(64) };
  /** What compose makes of `${NAME:-standard}` and `${NAME:?complaint}`. */
  const filledIn = (value: string) =>
    value.replaceAll(
      /\$\{(\w+):([-?])([^}]*)\}/g,
      (_, name, kind, rest) => secrets[name] ?? (kind === "-" ? rest : ""),
    );
  const guardEnv = () =>
    Object.fromEntries(
      Object.entries<string>(services.guard.environment).map(([name, value]) => [name, filledIn(value)]),
    );

  it("gives two replicas settings that Unloop starts with, and a Redis that is there", () => {
    expect(services.guard.deploy.replicas).toBe(2);
    const { redisUrl = "" } = readSettings(guardEnv());
    expect(readRedisUrl(redisUrl)).toMatchObject({
      kind: "single",
      hosts: [{ host: "redis", port: 6379 }],
      password: secrets.REDIS_PASSWORD,
    });
  });

  it("has no secret in it, and does not start without", () => {
    const { UNLOOP_SECRET, REDIS_URL } = services.guard.environment;
    for (const value of [UNLOOP_SECRET, REDIS_URL, services.redis.environment.REDISCLI_AUTH]) {
      expect(value).toMatch(/\$\{\w+:\?[^}]+\}/);
    }
    expect(services.redis.command.join(" ")).toContain('--requirepass "$$REDISCLI_AUTH"');
  });

  it("keeps what Redis knows in a volume, and Redis from everybody but the guards", () => {
    expect(services.redis.volumes).toEqual(["sessions:/data"]);
    expect(volumes).toHaveProperty("sessions");
    expect(networks.state.internal).toBe(true);
    expect(services.redis.networks).toEqual(["state"]);
    expect(services.redis.ports).toBeUndefined();
  });
});

describe("docker/nginx.conf", () => {
  const conf = text("docker/nginx.conf").replaceAll(/#.*$/gm, "");
  const directive = (name: string) => new RegExp(`\\b${name}\\s+([^;]+);`).exec(conf)?.[1];
  const { firstByteTimeoutMs, idleTimeoutMs, maxBodyBytes, port } = readSettings({});

  it("is more patient than Unloop, takes what Unloop takes, finds the guards, and repeats no request that was sent", () => {
    const patience = Number.parseInt(directive("proxy_read_timeout") ?? "", 10) * 1000;
    expect(patience).toBeGreaterThan(Math.max(firstByteTimeoutMs, idleTimeoutMs));
    expect([directive("client_max_body_size"), maxBodyBytes]).toEqual(["0", 0]);
    expect(conf).toContain(`server guard:${port} resolve;`);
    expect(directive("proxy_next_upstream")).not.toMatch(/non_idempotent|http_/);
  });
});
