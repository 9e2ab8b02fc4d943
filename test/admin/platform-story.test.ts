import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { agent, type Agent, verdictsOf } from "../proxy/agent.ts";
import { looping } from "../support/agents/scripts.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { startRedis } from "../support/servers/redis.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { apiClient } from "./api-rig.ts";
import { configFile } from "./config-file.ts";

const LEAD = "operate-0123456789";
const TEAMS = Array.from({ length: 15 }, (_, i) => `team-${i + 1}`);

const client = (name: string, tenant: string, expires = "") =>
  `  - { name: ${name}, tenant: ${tenant}, sha256: ${sha256Hex(`ul-${name}`)}${expires && `, expires: "${expires}"`} }`;

/** Half of all sessions are enforced. @param revoked when the key of team 2 ends */
const central = (revoked = "") => `
mode: enforce
policies:
  shared: { intercept: "off" }
policy: shared
rollout: 50
clients:
${TEAMS.map((team) => client(team, team, team === "team-2" ? revoked : "")).join("\n")}
${client("old", "team-1", "2020-01-01")}
admin:
  tokens: [{ name: lead, role: operate, sha256: ${sha256Hex(LEAD)} }]`;

const bearer = (name: string) => ({ authorization: `Bearer ul-${name}` });
const codeOf = ({ status, text }: { readonly status: number; readonly text: string }) => [
  status,
  /"code":"(\w+)"/.exec(text)?.[1],
];

/** A process of `unloop serve`, with a file and an audit that outlive it. */
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
    await expect.poll(() => logged, { timeout: 20_000 }).toMatch(/Point your agent[\s\S]*http:\/\/127\.0\.0\.1:\d+/);
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(logged.slice(logged.indexOf("Point your agent")))?.[0] ?? "";
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  await start();
  return {
    file,
    start,
    kill,
    url: () => url,
    call: (...asked: Parameters<ReturnType<typeof apiClient>>) => apiClient(url, LEAD)(...asked),
    async metrics() {
      const answer = await fetch(`${url}/unloop/metrics`, { headers: { authorization: `Bearer ${LEAD}` } });
      return answer.text();
    },
    acts: () =>
      readFileSync(audit.path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
}

async function twoReplicas() {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  const env = { UNLOOP_UPSTREAM: upstream.url, REDIS_URL: redis.url, UNLOOP_SECRET: "a secret of this test" };
  const [one, other] = await Promise.all([replica(env), replica(env)]);
  const run = (team: string, url: string | ((turn: number) => string)): Agent =>
    agent({ url, upstream, headers: { ...bearer(team), "x-unloop-session": `nightly-${team}` } });
  const revisions = async () => {
    const scraped = await Promise.all([one, other].map(({ metrics }) => metrics()));
    return new Set(scraped.map((text) => /unloop_config_info\{revision="(\w+)"\} 1/.exec(text)?.[1]));
  };
  return { one, other, run, revisions };
}

type Replica = Awaited<ReturnType<typeof replica>>;

/** Gives the session's id. */
async function contain({ call }: Replica, team: string, reason: string): Promise<string> {
  const { sessions } = (await call("listSessions", { query: { q: `nightly-${team}` } })).body;
  const { id } = sessions.find(({ tenant }: { tenant: string }) => tenant === team);
  expect((await call("containSession", { id, body: { reason } })).status).toBe(200);
  return id;
}

it("fifteen teams behind two replicas: a rollout, acts, keys that end, drift and a killed replica", {
  timeout: 120_000,
}, async () => {
  const { one, other, run, revisions } = await twoReplicas();

  // Half of the sessions are enforced, and a session has its side on either replica.
  const inTurn = (turn: number) => [one, other][turn % 2]?.url() ?? "";
  const sides = await Promise.all(
    TEAMS.map(async (team) => verdictsOf(await run(team, inTurn).turns(7)).map((verdict) => verdict?.split(":")[0])),
  );
  const enforced = sides.filter((verdicts) => verdicts.at(-1) === "short-circuit");
  const heldOut = sides.filter((verdicts) => verdicts.at(-1) === "observe");
  expect([enforced.length > 2, heldOut.length > 2, enforced.length + heldOut.length]).toEqual([true, true, 15]);
  expect(enforced.flat()).not.toContain("observe");
  expect(heldOut.flat()).not.toContain("nudge");
  const listed = (await one.call("listSessions", { query: { limit: "200" } })).body.sessions;
  expect(listed.filter(({ arm }: { arm: string }) => arm === "enforced")).toHaveLength(enforced.length);
  const counted = (await one.metrics()) + (await other.metrics());
  expect(counted).toContain('unloop_threads_total{policy="shared",arm="held-out"');
  for (const team of TEAMS) expect(counted).toContain(`tenant="${team}"`);

  // An operator's act holds on both; of a killed replica's act nothing is lost.
  const ended = (team: string, { url }: Replica) =>
    vi.waitFor(async () => expect(verdictsOf([await run(team, url()).turn()])).toEqual(["contained"]), 10_000);
  const third = await contain(one, "team-3", "calls the payment API");
  await ended("team-3", other);
  await contain(other, "team-5", "deletes tickets");
  await other.kill();
  expect(other.acts().at(-1)).toMatchObject({ act: "containSession", actor: "lead", reason: "deletes tickets" });
  await ended("team-5", one);

  // The file is changed on one replica while the other is away: they disagree until it reads the same.
  await other.start();
  expect((await revisions()).size).toBe(1);
  const keyOf = async (name: string, { url }: Replica) => codeOf(await run(name, url()).turn());
  expect(await keyOf("team-2", one)).toEqual([200, undefined]);
  const later = central(new Date().toISOString().replace(/\.\d+/, ""));
  one.file.write(later);
  await vi.waitFor(async () => expect(await keyOf("team-2", one)).toEqual([401, "client_key_refused"]), 10_000);
  expect(await keyOf("team-2", other)).toEqual([200, undefined]);
  expect((await revisions()).size).toBe(2);
  other.file.write(later);
  await vi.waitFor(async () => expect((await revisions()).size).toBe(1), 10_000);
  for (const replica of [one, other])
    for (const key of ["team-2", "old"]) expect(await keyOf(key, replica)).toEqual([401, "client_key_refused"]);

  // A replica that begins anew knows the orders, and one can be lifted.
  await other.kill();
  await other.start();
  for (const team of ["team-3", "team-5"]) await ended(team, other);
  expect((await one.call("releaseSession", { id: third, body: { reason: "it is mended" } })).status).toBe(200);
  const goesOn = async () => expect(verdictsOf([await run("team-3", other.url()).turn()])).not.toEqual(["contained"]);
  await vi.waitFor(goesOn, 10_000);

  // The audit is whole: two lives of one file's replica, three of the other's, in order, each line read as it was written.
  const refusals = ["team-2", "old"].map((actor) => ({ act: "refused-key", actor, reason: "expired" }));
  const begun = (file: Replica["file"]) => ({ act: "config", reason: `${file.path} at the start` });
  const taken = { act: "config", changes: [expect.stringContaining("clients.team-2.expires")] };
  expect(one.acts()).toMatchObject([
    begun(one.file),
    { act: "containSession", actor: "lead", reason: "calls the payment API", session: third },
    taken,
    ...refusals,
    { act: "releaseSession", actor: "lead", reason: "it is mended", session: third },
  ]);
  expect(other.acts()).toMatchObject([
    begun(other.file),
    { act: "containSession", actor: "lead", reason: "deletes tickets" },
    begun(other.file),
    taken,
    ...refusals,
    begun(other.file),
  ]);
  expect(new Set([...one.acts(), ...other.acts()].map(({ replica: name }) => name)).size).toBe(4);
});
