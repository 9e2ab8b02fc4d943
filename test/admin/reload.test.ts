import { describe, expect, it, onTestFinished, vi } from "vitest";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

describe("limits of the configuration file", () => {
  it("are put to use where they can be, and the others name the start from which they hold", {
    timeout: 30_000,
  }, async () => {
    const file = configFile("limits: { maxBodyBytes: 100000, storeDeadlineMs: 50 }");
    const rig = await apiRig({ UNLOOP_CONFIG: file.path });
    expect((await rig.call("status")).body.config.lastReload.needsRestart).toEqual([]);
    file.write("limits: { maxBodyBytes: 50000, storeDeadlineMs: 70, drainMs: 50 }");
    await vi.waitFor(async () => {
      const { body } = await rig.call("status");
      expect(body.config.lastReload).toMatchObject({
        ok: true,
        needsRestart: ["limits.storeDeadlineMs is 70 from the next start on; until then 50 holds."],
      });
    });
    const answer = await fetch(`${rig.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello there ".repeat(5000) }] }),
    });
    expect(answer.status).toBe(413);
  });
});

describe("a configuration file that is emptied or cut under a running guard", () => {
  const lead = "l".repeat(20);
  const text = `admin: { tokens: [{ name: lead, role: operate, sha256: ${sha256Hex(lead)} }] }
clients: [{ name: bot, tenant: t, sha256: ${sha256Hex("ul-key")} }]\n`;

  it("stays closed", { timeout: 30_000 }, async () => {
    for (const [next, says] of [
      ["", "The file is empty"],
      [text.slice(0, text.indexOf("clients")), "clients is missing"],
    ] as const) {
      const file = configFile(text);
      const { url } = await apiRig({ UNLOOP_CONFIG: file.path });
      file.write(next);
      await vi.waitFor(async () => {
        const { body } = await apiClient(url, lead)("status");
        expect(body.config.lastReload.problems.join()).toContain(says);
      });
      expect((await apiClient(url)("status")).status).toBe(401);
      expect((await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer somebody" } })).status).toBe(401);
    }
  });
});

it("tells of a refused file without what stands in it, and tells tokens of one tenant nothing", async () => {
  const tokens = { lead: "l".repeat(20), alpha: "a".repeat(20) };
  const text = `admin:
  tokens:
    - { name: lead, role: operate, sha256: ${sha256Hex(tokens.lead)} }
    - { name: alpha, role: read, tenant: alpha, sha256: ${sha256Hex(tokens.alpha)} }\n`;
  const secret = "sk-5dd6c2e9f0a1b3c4";
  const file = configFile(text);
  const { url } = await apiRig({ UNLOOP_CONFIG: file.path });
  file.write(`${text}clients: [{ name: a, tenant: t, sha256: ${secret}, upstreamKey: ${secret} }]\n`);
  await vi.waitFor(async () => {
    const { body } = await apiClient(url, tokens.lead)("status");
    expect(body.config.lastReload.ok).toBe(false);
    expect(body.config.lastReload.problems).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain(secret);
  });
  const { body: journal } = await apiClient(url, tokens.lead)("readJournal", { query: { type: "config" } });
  expect(JSON.stringify(journal)).not.toContain(secret);
  expect((await apiClient(url, tokens.alpha)("status")).body).toMatchObject({ tenant: "alpha", config: null });
});

it("the file of an admin token is watched", { timeout: 30_000 }, async () => {
  const secret = configFile("v".repeat(20));
  const text = `admin: { tokens: [{ name: ops, role: operate, file: "${secret.path}" }] }`;
  const { url } = await apiRig({ UNLOOP_CONFIG: configFile(text).path });
  const status = async (token: string) => (await apiClient(url, token)("status")).status;
  expect(await status("v".repeat(20))).toBe(200);
  secret.write("n".repeat(20));
  await vi.waitFor(async () => expect(await status("n".repeat(20))).toBe(200));
  expect(await status("v".repeat(20))).toBe(401);
});

it("the metrics tell a store that is down, and a file that was taken from one that was refused within the same second", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = promMetrics();
  vi.setSystemTime(1_700_000_000_100);
  metrics.configReloaded(true);
  vi.setSystemTime(1_700_000_000_400);
  metrics.configReloaded(false);
  metrics.storeChanged(false, true);
  const { text } = await metrics.read();
  expect(text).toContain('unloop_config_last_reload_timestamp_seconds{result="applied"} 1700000000.1');
  expect(text).toContain('unloop_config_last_reload_timestamp_seconds{result="refused"} 1700000000.4');
  expect(text).toContain('unloop_store_state{state="up"} 0');
});
