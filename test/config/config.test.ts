import { describe, expect, it } from "vitest";
import { type Flags, readSettings } from "../../src/config/config.ts";
import { UnloopError } from "../../src/errors.ts";

const policies = ["default", "web-actions"];
const settings = (env: Record<string, string | undefined> = {}, flags: Flags = {}) =>
  readSettings(env, flags, policies);

function complaint(env: Record<string, string | undefined>, flags: Flags = {}): string {
  try {
    settings(env, flags);
  } catch (error) {
    if (error instanceof UnloopError && error.code === "bad_setting") return error.message;
    throw error;
  }
  return "no complaint";
}

describe("readSettings", () => {
  it("needs nothing to be set", () => {
    expect(settings()).toEqual({
      jurisdiction: "",
      locationHint: "",
      upstream: undefined,
      upstreams: {},
      host: "127.0.0.1",
      port: 8787,
      config: undefined,
      mode: "enforce",
      policy: "default",
      secret: undefined,
      maxBodyBytes: 33_554_432,
      maxHeaderBytes: 131_072,
      unreadable: "pass",
      tenantHeader: undefined,
      sessionTtlMs: 21_600_000,
      sessionNames: "short",
      maxSessions: 10_000,
      storeBytes: 100_663_296,
      log: "info",
      warmUpMs: 500,
      connectTimeoutMs: 10_000,
      firstByteTimeoutMs: 3_600_000,
      idleTimeoutMs: 3_600_000,
      clientIdleTimeoutMs: 60_000,
      maxClientConnections: 2_048,
      upstreamConnections: 1_024,
      upstreamWaitMs: 5_000,
      drainMs: 30_000,
      shutdownDelayMs: 0,
      redisUrl: undefined,
      storeDeadlineMs: 50,
      adminToken: undefined,
      audit: undefined,
      auditSecret: undefined,
      judgeUpstream: new URL("https://api.openai.com"),
      judgeKey: undefined,
      judgeModel: undefined,
      judgeTimeoutMs: 30_000,
    });
  });

  it("takes every setting from the environment", () => {
    const env = {
      UNLOOP_UPSTREAM: "http://127.0.0.1:9000/prefix/v1/",
      UNLOOP_UPSTREAMS: "/groq=https://api.groq.com/openai, /=http://127.0.0.1:9001",
      UNLOOP_HOST: "::",
      UNLOOP_PORT: "0",
      UNLOOP_CONFIG: "unloop.yaml",
      UNLOOP_MODE: "observe",
      UNLOOP_POLICY: "web-actions",
      UNLOOP_SECRET: "0123456789abcdef",
      UNLOOP_MAX_BODY_BYTES: "1",
      UNLOOP_MAX_HEADER_BYTES: "2000",
      UNLOOP_UNREADABLE: "refuse",
      UNLOOP_TENANT_HEADER: "X-Team-Id",
      UNLOOP_CLIENT_IDLE_TIMEOUT_MS: "10",
      UNLOOP_MAX_CLIENT_CONNECTIONS: "0",
      UNLOOP_UPSTREAM_CONNECTIONS: "11",
      UNLOOP_UPSTREAM_WAIT_MS: "12",
      UNLOOP_SESSION_TTL_MS: "2",
      UNLOOP_SESSION_NAMES: "whole",
      UNLOOP_MAX_SESSIONS: "3",
      UNLOOP_STORE_BYTES: "1048576",
      UNLOOP_LOG: "silent",
      UNLOOP_CONNECT_TIMEOUT_MS: "4",
      UNLOOP_FIRST_BYTE_TIMEOUT_MS: "5",
      UNLOOP_IDLE_TIMEOUT_MS: "6",
      UNLOOP_DRAIN_MS: "0",
      UNLOOP_WARM_UP_MS: "60",
      UNLOOP_SHUTDOWN_DELAY_MS: "9",
      REDIS_URL: "redis://127.0.0.1",
      UNLOOP_STORE_DEADLINE_MS: "7",
      UNLOOP_ADMIN: "[::1]:8788",
      UNLOOP_ADMIN_TOKEN: "fedcba9876543210",
      UNLOOP_AUDIT: "stdout",
      UNLOOP_AUDIT_SECRET: "audit-secret-000",
      UNLOOP_JUDGE_UPSTREAM: "http://127.0.0.1:9001/v1",
      UNLOOP_JUDGE_KEY: "sk-judge",
      UNLOOP_JUDGE_MODEL: "small",
      UNLOOP_JUDGE_TIMEOUT_MS: "8",
      UNLOOP_JURISDICTION: "eu",
      UNLOOP_LOCATION_HINT: "weur",
    };
    expect(settings(env)).toEqual({
      jurisdiction: "eu",
      locationHint: "weur",
      upstream: new URL("http://127.0.0.1:9000/prefix/v1/"),
      upstreams: { "/groq": new URL("https://api.groq.com/openai"), "/": new URL("http://127.0.0.1:9001") },
      host: "::",
      port: 0,
      config: "unloop.yaml",
      mode: "observe",
      policy: "web-actions",
      secret: "0123456789abcdef",
      maxBodyBytes: 1,
      maxHeaderBytes: 2_000,
      unreadable: "refuse",
      tenantHeader: "x-team-id",
      sessionTtlMs: 2,
      sessionNames: "whole",
      maxSessions: 3,
      storeBytes: 1_048_576,
      log: "silent",
      connectTimeoutMs: 4,
      firstByteTimeoutMs: 5,
      idleTimeoutMs: 6,
      clientIdleTimeoutMs: 10,
      maxClientConnections: 0,
      upstreamConnections: 11,
      upstreamWaitMs: 12,
      drainMs: 0,
      warmUpMs: 60,
      shutdownDelayMs: 9,
      redisUrl: "redis://127.0.0.1",
      storeDeadlineMs: 7,
      admin: { host: "::1", port: 8788 },
      adminToken: "fedcba9876543210",
      audit: "stdout",
      auditSecret: "audit-secret-000",
      judgeUpstream: new URL("http://127.0.0.1:9001/v1"),
      judgeKey: "sk-judge",
      judgeModel: "small",
      judgeTimeoutMs: 8,
    });
  });

  it("lets a flag override the environment", () => {
    const env = { UNLOOP_PORT: "1", UNLOOP_MODE: "off", UNLOOP_HOST: "0.0.0.0" };
    expect(settings(env, { port: "2", mode: "observe" })).toMatchObject({ port: 2, mode: "observe", host: "0.0.0.0" });
  });

  it("leaves a policy as JSON to those who know policies", () => {
    expect(settings({ UNLOOP_POLICY: '{"extends":"default"}' }).policy).toBe('{"extends":"default"}');
  });

  it("takes an empty variable for an unset one", () => {
    expect(settings({ UNLOOP_PORT: "", UNLOOP_SECRET: "" })).toMatchObject({ port: 8787, secret: undefined });
  });

  it("lets other programs have their variables, and the benchmarks theirs", () => {
    expect(() => settings({ PATH: "/bin", REDIS_HOST: "x", UNLOOP_DATA: "/data" })).not.toThrow();
  });

  it.each([
    [{ UNLOOP_UPSTREAM: "api.openai.com" }, "UNLOOP_UPSTREAM must be a whole http or https URL"],
    [{ UNLOOP_UPSTREAM: "ftp://host" }, "UNLOOP_UPSTREAM must be a whole http or https URL"],
    [{ UNLOOP_UPSTREAM: "https://user:sk-123@host" }, "UNLOOP_UPSTREAM must not contain a user name or password"],
    [{ UNLOOP_UPSTREAM: "https://host/v1?key=sk-123" }, "UNLOOP_UPSTREAM must end with its path"],
    [{ UNLOOP_HOST: "127.0.0.1/x" }, "UNLOOP_HOST must be a host name or an IP address"],
    [{ UNLOOP_PORT: "65536" }, "UNLOOP_PORT must be a whole number from 0 to 65535, not 65536."],
    [{ UNLOOP_PORT: "80.5" }, "not 80.5"],
    [{ UNLOOP_PORT: "-1" }, "not -1"],
    [
      { UNLOOP_MODE: "Enforce" },
      'UNLOOP_MODE must be one of enforce, observe, off, not "Enforce"; did you mean "enforce"?',
    ],
    [{ UNLOOP_POLICY: "strict" }, "UNLOOP_POLICY must be one of default, web-actions, not a text."],
    [{ UNLOOP_POLICY: "[1]" }, "UNLOOP_POLICY must be one of default, web-actions, not a text."],
    [{ UNLOOP_SECRET: "too-short" }, "UNLOOP_SECRET must have at least 16 characters, not 9"],
    [{ UNLOOP_MAX_BODY_BYTES: "32MB" }, "UNLOOP_MAX_BODY_BYTES must be a whole number of at least 1, not a text."],
    [{ UNLOOP_MAX_SESSIONS: "0" }, "UNLOOP_MAX_SESSIONS must be a whole number of at least 1"],
    [{ UNLOOP_LOG: "verbose" }, "UNLOOP_LOG must be one of silent, error, warn, info, debug"],
    [{ UNLOOP_IDLE_TIMEOUT_MS: "9999999999" }, "UNLOOP_IDLE_TIMEOUT_MS must be a whole number from 1 to 2147483647"],
    [{ UNLOOP_ADMIN: "8788" }, "UNLOOP_ADMIN must be a host and a port, such as 127.0.0.1:8788."],
    [{ UNLOOP_ADMIN: "h:65536" }, "UNLOOP_ADMIN must be a host and a port"],
    [{ UNLOOP_ADMIN_TOKEN: "short" }, "UNLOOP_ADMIN_TOKEN must have at least 16 characters"],
    [{ UNLOOP_STORE_DEADLINE_MS: "0" }, "UNLOOP_STORE_DEADLINE_MS must be a whole number from 1 to 2147483647"],
    [{ REDIS_URL: "redis://127.0.0.1" }, "UNLOOP_SECRET must be set when REDIS_URL is"],
    [{ UNLOOP_PORTS: "1" }, "UNLOOP_PORTS is not a setting of Unloop; did you mean UNLOOP_PORT?"],
    [{ UNLOOP_QX: "1" }, "UNLOOP_QX is not a setting of Unloop; docs/configuration.md lists them all."],
    [{ UNLOOP_REDIS_URL: "redis://h" }, "did you mean REDIS_URL?"],
    [{ UNLOOP_UPSTRAEM: "" }, "did you mean UNLOOP_UPSTREAM?"],
    [{ UNLOOP_SESSION_TTL: "1" }, "did you mean UNLOOP_SESSION_TTL_MS?"],
  ])("refuses %j", (env, message) => {
    expect(complaint(env)).toContain(message);
  });

  it("names the flag when that is what was wrong", () => {
    expect(complaint({ UNLOOP_PORT: "1" }, { port: "x" })).toContain("--port must be a whole number");
  });

  it("repeats no secret in a complaint", () => {
    const complaints = [
      complaint({ UNLOOP_SECRET: "short-secret" }),
      complaint({ UNLOOP_UPSTREAM: "https://sk-123@host" }),
      complaint({ UNLOOP_UPSTREAM: "sk-123" }),
      complaint({ UNLOOP_UPSTREAM: "https://host/?k=sk-123" }),
    ];
    expect(complaints.join()).not.toMatch(/short-secret|sk-123/);
  });
});
