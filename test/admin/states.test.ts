import { expect, it, vi } from "vitest";
import { runStates } from "../../src/activity/activity.ts";
import { type Agent, agent } from "../proxy/agent.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { apiRig } from "./api-rig.ts";

const rambling: Script = () => ({ kind: "text", text: "Let me have another look at the table. ".repeat(60) });
const requestsOnly = JSON.stringify({ extends: "default", name: "default", intercept: "off" });

interface Row {
  readonly name: string;
  readonly script: Script;
  readonly env?: Readonly<Record<string, string>>;
  readonly turns: number;
  readonly next?: (run: Agent) => Promise<unknown>;
  readonly is: object;
}

const observe = { UNLOOP_MODE: "observe" };
const onwards = (run: Agent) => {
  run.hear("Look at Rome instead, and tell me about its weather.");
  return run.turn();
};
const rows: readonly Row[] = [
  { name: "that is healthy", script: healthy(3), turns: 2, is: { state: "running", why: "", blocked: false } },
  { name: "that has given its answer", script: healthy(2), turns: 3, is: { state: "done", loop: null } },
  {
    name: "that was nudged, and has not gone on with it yet",
    script: looping("nothing"),
    turns: 3,
    is: { state: "warned", why: "search: the same call with the same outcome, 3 times" },
  },
  {
    name: "that goes on with its loop after a nudge",
    script: looping("nothing"),
    turns: 4,
    is: { state: "looping", blocked: false, loop: { rung: "nudge", next: { rung: "force-done", at: 5 } } },
  },
  {
    name: "that has heeded a nudge, and given its answer",
    script: looping({ nudge: "[unloop]" }),
    turns: 5,
    is: { state: "done", loop: { rung: "nudge" }, interventions: { nudge: 1 } },
  },
  {
    name: "that has ended as it was forced to",
    script: looping("force-done"),
    env: { UNLOOP_POLICY: requestsOnly },
    turns: 6,
    is: { state: "forced", blocked: true, loop: { rung: "force-done" } },
  },
  {
    name: "that the guard ended before the count of its last rung",
    script: looping("nothing"),
    turns: 6,
    is: { state: "ended", blocked: true, loop: { rung: "short-circuit", next: null } },
  },
  {
    name: "that the guard ended, and whose user has spoken since",
    script: looping("nothing"),
    turns: 6,
    next: onwards,
    is: { state: "running", blocked: false },
  },
  {
    name: "that the guard would have ended",
    script: looping("nothing"),
    env: observe,
    turns: 7,
    is: { state: "ended", blocked: false, loop: { rung: "short-circuit" } },
  },
  {
    name: "that the guard would have nudged",
    script: looping("nothing"),
    env: observe,
    turns: 4,
    is: { state: "looping", blocked: false, loop: { rung: "nudge" } },
  },
  {
    name: "whose answer was cut off",
    script: rambling,
    turns: 1,
    is: { state: "cut", why: expect.stringMatching(/^\d+ laps of about \d+ tokens$/), interventions: { cut: 1 } },
  },
  {
    name: "whose answer would have been cut off",
    script: rambling,
    env: observe,
    turns: 1,
    is: { state: "cut", verdict: "observe:cut" },
  },
];

it.each(rows)("a session $name is listed as what it is", async ({ script, env = {}, turns, next, is }) => {
  const rig = await apiRig(env, script);
  const run = agent({ ...rig, headers: { "x-unloop-session": "run" }, extra: { stream: true } });
  await run.turns(turns);
  await next?.(run);
  const listed = await vi.waitFor(async () => {
    const { body } = await rig.call("listSessions");
    expect(body.sessions).toMatchObject([is]);
    return body.sessions;
  });
  for (const state of runStates) {
    const { body } = await rig.call("listSessions", { query: { state } });
    expect(body.sessions, state).toHaveLength(listed[0].state === state ? 1 : 0);
  }
});

it("the words that a model was told are shown, with names of tools and no text", async () => {
  const { call, ...rig } = await apiRig({ UNLOOP_POLICY: requestsOnly });
  await agent(rig).turns(6);
  const { body } = await call("listSessions");
  const { lineages } = (await call("readSession", { id: body.sessions[0].id })).body;
  expect(lineages[0].findings).toMatchObject([
    { rung: "nudge", told: expect.stringMatching(/^\[unloop\] You have made the same call 3 times: .*search/) },
    { rung: "force-done", told: expect.stringMatching(/^\[unloop\] You have made the same call 5 times: .*search/) },
  ]);
});

const longName = "build-4711/of-the-branch/with-a-long-name";

it.each([
  { names: "short", is: expect.stringMatching(/^build-47\.\.[\w-]{6}$/) },
  { names: "whole", is: longName },
])("with $names names a session is listed as $is, and found by its beginning", async ({ names, is }) => {
  const rig = await apiRig({ UNLOOP_SESSION_NAMES: names });
  await agent({ ...rig, headers: { "x-unloop-session": longName } }).turns(2);
  for (const q of ["build", "build-4711/of"])
    expect((await rig.call("listSessions", { query: { q } })).body.sessions, q).toMatchObject([{ name: is }]);
  const other = names === "whole" ? "build-4711/on" : "other";
  expect((await rig.call("listSessions", { query: { q: other } })).body.sessions).toEqual([]);
});
