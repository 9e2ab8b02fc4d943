import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { apiClient, apiRig } from "./api-rig.ts";
import { client, configFile } from "./config-file.ts";

const TOKEN = "operate-0123456789";

async function audited(text: string) {
  const file = configFile(text);
  const audit = configFile("");
  const rig = await apiRig({ UNLOOP_CONFIG: file.path, UNLOOP_AUDIT: audit.path, UNLOOP_ADMIN_TOKEN: TOKEN });
  await rig.agent("run-1").turn();
  const [{ id }] = await rig.sessions({});
  const contain = () => rig.call("containSession", { id, body: { reason: "runs wild" } });
  const lines = () =>
    readFileSync(audit.path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...rig, file, audit, id, contain, lines };
}

describe("the audit", () => {
  it("has a line for each act, reload and refusal, with who, whence, why, the revision and the replica", {
    timeout: 30_000,
  }, async () => {
    const { url, call, file, id, contain, lines } = await audited("mode: enforce\nclients: []");
    expect((await contain()).status).toBe(200);
    for (const bearer of [undefined, "wrong-0123456789", "wrong-0123456789"])
      expect((await apiClient(url, bearer)("status")).status).toBe(401);
    await fetch(`${url}/unloop/metrics`, { headers: { "x-forwarded-for": "10.0.0.9" } });
    const revisionOf = async () => (await call("status")).body.config.revision;
    const revision = await revisionOf();
    file.write(`mode: observe\nclients: [${client("ci", "team")}]`);
    await vi.waitFor(async () => expect(await revisionOf()).not.toBe(revision), 10_000);
    await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer ul-none" } });
    file.write("mode: obsrve");
    await vi.waitFor(() => expect(lines().at(-1).reason).toContain("was refused"), 10_000);
    const changes = [
      'mode: "enforce" -> "observe"',
      "clients.ci.sha256: none -> (text)",
      'clients.ci.tenant: none -> "team"',
    ];
    const act = { act: "containSession", actor: "admin", reason: "runs wild", session: id, address: "127.0.0.1" };
    expect(lines()).toMatchObject([
      { act: "config", reason: `${file.path} at the start`, revision },
      { ...act, revision },
      { act: "refused-admin", reason: "Send an admin token as authorization: Bearer <token>." },
      { act: "refused-admin", reason: "There is no such admin token." },
      { act: "refused-admin", forwardedFor: "10.0.0.9" },
      { act: "config", changes: expect.arrayContaining(changes) },
      { act: "refused-key", reason: "no client key", address: "127.0.0.1" },
      { act: "config" },
    ]);
    expect(new Set(lines().map(({ replica }) => replica)).size).toBe(1);
    expect(JSON.stringify(lines())).not.toMatch(/[0-9a-f]{64}/);
  });

  it("lets no act take hold that it cannot write down", async () => {
    const { audit, contain, sessions } = await audited("mode: enforce");
    rmSync(audit.path);
    mkdirSync(audit.path);
    onTestFinished(() => rmSync(audit.path, { recursive: true, force: true }));
    expect(await contain()).toMatchObject({ status: 503, body: { error: { code: "audit_failed" } } });
    expect((await sessions({}))[0].state).not.toBe("contained");
  });
});
