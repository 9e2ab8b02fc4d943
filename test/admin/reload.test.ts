import { expect, it, onTestFinished, vi } from "vitest";
import { promMetrics } from "../../src/admin/metrics/prometheus.ts";
import { post } from "../proxy/guard-rig.ts";
import { healthy } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";
import { apiClient, apiRig } from "./api-rig.ts";
import { client, configFile, token, tokenOf } from "./config-file.ts";

it("twenty reloads under load drop no request", { timeout: 60_000 }, async () => {
  const file = configFile("mode: enforce");
  const rig = await apiRig({ UNLOOP_CONFIG: file.path }, healthy(1_000));
  let isOver = false;
  const statuses: number[] = [];
  const revisions = new Set<string>();
  const load = [1, 2, 3, 4].map(async (i) => {
    const run = rig.agent(`load-${i}`);
    while (!isOver) statuses.push((await run.turn()).status);
  });
  for (let i = 1; i <= 20; i += 1) {
    file.write(`rollout: ${i}`);
    process.emit("SIGHUP");
    revisions.add((await rig.call("status")).body.config.revision);
  }
  expect(revisions.size).toBe(20);
  isOver = true;
  await Promise.all(load);
  expect(statuses.length).toBeGreaterThan(4);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it("limits of the configuration file are put to use where they can be, and the others name the start from which they hold", {
  timeout: 30_000,
}, async () => {
  const file = configFile("limits: { maxBodyBytes: 100000, storeDeadlineMs: 50 }");
  const { url, call } = await apiRig({ UNLOOP_CONFIG: file.path });
  const last = async () => (await call("status")).body.config.lastReload;
  expect((await last()).needsRestart).toEqual([]);
  file.write("limits: { maxBodyBytes: 50000, storeDeadlineMs: 70, drainMs: 50 }");
  const needsRestart = ["limits.storeDeadlineMs is 70 from the next start on; until then 50 holds."];
  await vi.waitFor(async () => expect(await last()).toMatchObject({ ok: true, needsRestart }));
  expect((await post(url, chatBody([user("hello there ".repeat(5000))]))).status).toBe(413);
});

it("a configuration file that is emptied or cut under a running guard stays closed", { timeout: 30_000 }, async () => {
  const text = `admin: { tokens: [${token("lead", "operate")}] }\nclients: [${client("bot", "t")}]\n`;
  for (const [next, says] of [
    ["", "The file is empty"],
    [text.slice(0, text.indexOf("clients")), "clients is missing"],
  ] as const) {
    const file = configFile(text);
    const { url } = await apiRig({ UNLOOP_CONFIG: file.path });
    file.write(next);
    await vi.waitFor(async () => {
      const { body } = await apiClient(url, tokenOf("lead"))("status");
      expect(body.config.lastReload.problems.join()).toContain(says);
    });
    expect((await apiClient(url)("status")).status).toBe(401);
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer somebody" } })).status).toBe(401);
  }
});

it("a refused file is told without what stands in it, and tokens of one tenant are told nothing", async () => {
  const tokens = [token("lead", "operate"), token("alpha", "read", ", tenant: alpha")];
  const text = `admin: { tokens: [${tokens.join(", ")}] }\n`;
  const secret = "sk-5dd6c2e9f0a1b3c4";
  const file = configFile(text);
  const { url } = await apiRig({ UNLOOP_CONFIG: file.path });
  const lead = apiClient(url, tokenOf("lead"));
  file.write(`${text}clients: [{ name: a, tenant: t, sha256: ${secret}, upstreamKey: ${secret} }]\n`);
  await vi.waitFor(async () => {
    const { body } = await lead("status");
    expect(body.config.lastReload).toMatchObject({ ok: false, problems: { length: 2 } });
    expect(JSON.stringify(body)).not.toContain(secret);
  });
  const { body: journal } = await lead("readJournal", { query: { type: "config" } });
  expect(JSON.stringify(journal)).not.toContain(secret);
  const { body: status } = await apiClient(url, tokenOf("alpha"))("status");
  expect(status).toMatchObject({ tenant: "alpha", config: null });
});

it("the file of an admin token is watched", { timeout: 30_000 }, async () => {
  const secret = configFile("v".repeat(20));
  const text = `admin: { tokens: [{ name: ops, role: operate, file: "${secret.path}" }] }`;
  const { url } = await apiRig({ UNLOOP_CONFIG: configFile(text).path });
  const status = async (letter: string) => (await apiClient(url, letter.repeat(20))("status")).status;
  expect(await status("v")).toBe(200);
  secret.write("n".repeat(20));
  await vi.waitFor(async () => expect(await status("n")).toBe(200));
  expect(await status("v")).toBe(401);
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
