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

/** @param revoked when the key of team b ends */
const central = (revoked = "") => `
clients:
  - ${client("a", "team-a")}
  - ${client("b", "team-b", revoked && `, expires: "${revoked}"`)}
  - ${client("old", "team-a", ', expires: "2020-01-01"')}
admin: { tokens: [${token("lead", "operate")}] }`;

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
    ...{ file, start, kill, url: () => url },
    call: (...asked: Parameters<ReturnType<typeof apiClient>>) => apiClient(url, tokenOf("lead"))(...asked),
    acts: () =>
      readFileSync(audit.path, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
}

type Replica = Awaited<ReturnType<typeof replica>>;

it("two replicas: acts that hold on both, keys that end, drift, a killed replica, and an audit that is whole", {
  timeout: 120_000,
}, async () => {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const upstream = await scriptedUpstream(looping("nothing"));
  onTestFinished(() => upstream.close());
  const env = { UNLOOP_UPSTREAM: upstream.url, REDIS_URL: redis.url, UNLOOP_SECRET: "a secret of this test" };
  const [one, other] = [await replica(env), await replica(env)];
  const ask = (name: string, session: string, { url }: Replica) =>
    agent({
      url: url(),
      upstream,
      headers: { authorization: `Bearer ul-${name}`, "x-unloop-session": session },
    }).turn();
  const contain = async (session: string, reason: string, { call }: Replica): Promise<string> => {
    const { id } = (await call("listSessions", { query: { q: session } })).body.sessions[0];
    expect((await call("containSession", { id, body: { reason } })).status).toBe(200);
    return id;
  };
  const ended = (session: string, at: Replica) =>
    vi.waitFor(async () => expect(verdictsOf([await ask("a", session, at)])).toEqual(["contained"]), 10_000);
  const statusOf = async (name: string, at: Replica) => (await ask(name, "any", at)).status;
  const revisions = async () =>
    new Set(await Promise.all([one, other].map(async ({ call }) => (await call("status")).body.config.revision))).size;
  for (const session of ["first", "second"]) await ask("a", session, one);

  // An operator's act holds on both; of a killed replica's act nothing is lost.
  const first = await contain("first", "calls the payment API", one);
  await ended("first", other);
  await contain("second", "deletes tickets", other);
  await other.kill();
  expect(other.acts().at(-1)).toMatchObject({ act: "containSession", actor: "lead", reason: "deletes tickets" });
  await ended("second", one);

  // The file is changed on one replica: they disagree until the other reads the same.
  await other.start();
  expect([await revisions(), await statusOf("b", one)]).toEqual([1, 200]);
  const later = central(new Date().toISOString().replace(/\.\d+/, ""));
  one.file.write(later);
  await vi.waitFor(async () => expect(await statusOf("b", one)).toBe(401), 10_000);
  expect([await statusOf("b", other), await revisions()]).toEqual([200, 2]);
  other.file.write(later);
  await vi.waitFor(async () => expect(await revisions()).toBe(1), 10_000);
  for (const at of [one, other]) for (const key of ["b", "old"]) expect(await statusOf(key, at)).toBe(401);

  // A replica that begins anew knows the orders, and one can be lifted.
  await other.kill();
  await other.start();
  for (const session of ["first", "second"]) await ended(session, other);
  expect((await one.call("releaseSession", { id: first, body: { reason: "it is mended" } })).status).toBe(200);
  const goesOn = async () => expect(verdictsOf([await ask("a", "first", other)])).not.toEqual(["contained"]);
  await vi.waitFor(goesOn, 10_000);

  // Two lives of one file's replica, three of the other's, in order, each line read as it was written.
  const refusals = ["b", "old"].map((actor) => ({ act: "refused-key", actor, reason: "expired" }));
  const begun = ({ file }: Replica) => ({ act: "config", reason: `${file.path} at the start` });
  const taken = { act: "config", changes: [expect.stringContaining("clients.b.expires")] };
  const act = { act: "containSession", actor: "lead" };
  const released = { act: "releaseSession", actor: "lead", reason: "it is mended", session: first };
  const stopped = { ...act, reason: "calls the payment API", session: first };
  expect(one.acts()).toMatchObject([begun(one), stopped, taken, ...refusals, released]);
  const deleting = { ...act, reason: "deletes tickets" };
  expect(other.acts()).toMatchObject([begun(other), deleting, begun(other), taken, ...refusals, begun(other)]);
  expect(new Set([...one.acts(), ...other.acts()].map(({ replica: name }) => name)).size).toBe(4);
});
