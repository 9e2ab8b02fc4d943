import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent } from "../proxy/agent.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

const TOKEN = "operate-0123456789";

const client = (name: string, more = "") =>
  `  - { name: ${name}, tenant: team, sha256: ${sha256Hex(`ul-${name}`)}${more} }`;

async function audited(text: string) {
  const file = configFile(text);
  const audit = configFile("");
  const env = { UNLOOP_CONFIG: file.path, UNLOOP_AUDIT: audit.path, UNLOOP_ADMIN_TOKEN: TOKEN };
  const rig = await apiRig(env);
  const lines = () =>
    readFileSync(audit.path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { ...rig, file, audit, lines };
}

describe("the audit", () => {
  it("has a line for each act, reload and refusal, with who, whence, why, the revision and the replica", {
    timeout: 30_000,
  }, async () => {
    const { url, upstream, call, file, lines } = await audited("mode: enforce\nclients: []");
    await agent({ url, upstream, headers: { "x-unloop-session": "run-1" } }).turns(1);
    await vi.waitFor(async () => expect((await call("listSessions")).body.sessions).toHaveLength(1));
    const { id } = (await call("listSessions")).body.sessions[0];
    expect((await call("containSession", { id, body: { reason: "runs wild" } })).status).toBe(200);
    for (const token of [undefined, "wrong-0123456789", "wrong-0123456789"])
      expect((await apiClient(url, token)("status")).status).toBe(401);
    await fetch(`${url}/unloop/metrics`, { headers: { "x-forwarded-for": "10.0.0.9" } });
    const before = (await call("status")).body.config.revision;
    file.write(`mode: observe\nclients:\n${client("ci")}`);
    await vi.waitFor(async () => expect((await call("status")).body.config.revision).not.toBe(before), 10_000);
    await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer ul-none" } });
    file.write("mode: obsrve");
    await vi.waitFor(() => expect(lines().at(-1).reason).toContain("was refused"), 10_000);
    expect(lines()).toMatchObject([
      { act: "config", reason: `${file.path} at the start`, revision: before },
      {
        act: "containSession",
        actor: "admin",
        reason: "runs wild",
        session: id,
        address: "127.0.0.1",
        revision: before,
      },
      { act: "refused-admin", reason: "Send an admin token as authorization: Bearer <token>." },
      { act: "refused-admin", reason: "There is no such admin token." },
      { act: "refused-admin", forwardedFor: "10.0.0.9" },
      {
        act: "config",
        changes: expect.arrayContaining([
          'mode: "enforce" -> "observe"',
          "clients.ci.sha256: none -> (text)",
          'clients.ci.tenant: none -> "team"',
        ]),
      },
      { act: "refused-key", reason: "no client key", address: "127.0.0.1" },
      { act: "config" },
    ]);
    expect(new Set(lines().map(({ replica }) => replica)).size).toBe(1);
    expect(JSON.stringify(lines())).not.toContain(sha256Hex("ul-ci"));
  });

  it("lets no act take hold that it cannot write down", async () => {
    const { url, upstream, call, audit } = await audited("mode: enforce");
    await agent({ url, upstream, headers: { "x-unloop-session": "run-1" } }).turns(1);
    await vi.waitFor(async () => expect((await call("listSessions")).body.sessions).toHaveLength(1));
    rmSync(audit.path);
    mkdirSync(audit.path);
    onTestFinished(() => rmSync(audit.path, { recursive: true, force: true }));
    const { id } = (await call("listSessions")).body.sessions[0];
    expect(await call("containSession", { id, body: { reason: "runs wild" } })).toMatchObject({
      status: 503,
      body: { error: { code: "audit_failed" } },
    });
    expect((await call("listSessions")).body.sessions[0].state).not.toBe("contained");
  });
});
