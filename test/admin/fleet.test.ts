import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { agent, verdictsOf } from "../proxy/agent.ts";
import { looping } from "../support/agents/scripts.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { startRedis } from "../support/servers/redis.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { apiClient } from "./api-rig.ts";
import { client, configFile, token, tokenOf } from "./config-file.ts";

const TEAMS = Array.from({ length: 15 }, (_, i) => `team-${i + 1}`);

/** Half of all sessions are enforced. @param revoked when the key of team 2 ends */
const central = (revoked = "") => `
rollout: 50
policies: { shared: { intercept: "off" } }
policy: shared
clients:
${TEAMS.map((team) => `  - ${client(team, team, team === "team-2" && revoked ? `, expires: "${revoked}"` : "")}`).join("\n")}
admin: { tokens: [${token("lead", "operate")}] }`;

async function replica(env: Readonly<Record<string, string>>) {
  const file = configFile(central());
  const audit = configFile("");
  let child: ChildProcess | undefined;
  let url = "";
  const start = async () => {
    let logged = "";
    child = spawn(process.execPath, [builtCli, "serve", "--port", "0", "--config", file.path], {
      env: { PATH: process.env.PATH, UNLOOP_AUDIT: audit.path, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr?.on("data", (piece) => (logged += String(piece)));
    await expect.poll(() => logged, { timeout: 20_000 }).toMatch(/Point your agent at http\S+/);
    url = /Point your agent at (http:\/\/[^/]+)/.exec(logged)?.[1] ?? "";
  };
  const kill = async () => {
    const ended = child?.exitCode === null && child.signalCode === null && once(child, "exit");
    child?.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  await start();
  const lines = () => readFileSync(audit.path, "utf8").trim().split("\n");
  return {
    ...{ file, start, kill, url: () => url, acts: () => lines().map((line) => JSON.parse(line)) },
    call: (...asked: Parameters<ReturnType<typeof apiClient>>) => apiClient(url, tokenOf("lead"))(...asked),
  };
}

it("fifteen teams behind two replicas: a rollout, a changed file that rolls over them, a killed replica, and an audit that is whole", {
  timeout: 120_000,
}, async () => {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  const env = { UNLOOP_UPSTREAM: upstream.url, REDIS_URL: redis.url, UNLOOP_SECRET: "a secret of this test" };
  const [one, other] = await Promise.all([replica(env), replica(env)]);
  const run = (team: string, url: string | ((turn: number) => string)) =>
    agent({ url, upstream, headers: { authorization: `Bearer ul-${team}`, "x-unloop-session": `nightly-${team}` } });
  const status = async (team: string, { url }: typeof one) => (await run(team, url()).turn()).status;
  const revisions = async () =>
    new Set(await Promise.all([one, other].map(async ({ call }) => (await call("status")).body.config.revision))).size;

  // A session has its side on either replica.
  const inTurn = (turn: number) => [one, other][turn % 2]?.url() ?? "";
  const sides = await Promise.all(
    TEAMS.map(async (team) => new Set(verdictsOf(await run(team, inTurn).turns(7)).map((one) => one?.split(":")[0]))),
  );
  const ending = (end: string) => sides.filter((verdicts) => verdicts.has(end)).length;
  const [enforced, heldOut] = [ending("short-circuit"), ending("observe")];
  expect([enforced > 2, heldOut > 2, enforced + heldOut]).toEqual([true, true, 15]);

  expect([await revisions(), await status("team-2", one)]).toEqual([1, 200]);
  const later = central("2020-01-01");
  one.file.write(later);
  await vi.waitFor(async () => expect(await status("team-2", one)).toBe(401), 10_000);
  expect([await status("team-2", other), await revisions()]).toEqual([200, 2]);
  other.file.write(later);
  await vi.waitFor(async () => expect(await revisions()).toBe(1), 10_000);
  expect(await status("team-2", other)).toBe(401);

  const { id } = (await other.call("listSessions", { query: { tenant: "team-5" } })).body.sessions[0];
  expect((await other.call("containSession", { id, body: { reason: "deletes tickets" } })).status).toBe(200);
  await other.kill();
  await other.start();
  for (const { url } of [one, other])
    await vi.waitFor(async () => expect(verdictsOf([await run("team-5", url()).turn()])).toEqual(["contained"]));

  const begun = ({ file }: typeof one) => ({ act: "config", reason: `${file.path} at the start` });
  const taken = { act: "config", changes: [expect.stringContaining("clients.team-2.expires")] };
  const refused = { act: "refused-key", actor: "team-2", reason: "expired" };
  const act = { act: "containSession", actor: "lead", reason: "deletes tickets", session: id };
  expect(one.acts()).toMatchObject([begun(one), taken, refused]);
  expect(other.acts()).toMatchObject([begun(other), taken, refused, act, begun(other)]);
});
