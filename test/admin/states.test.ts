import { expect, it, vi } from "vitest";
import { runStates } from "../../src/activity/activity.ts";
import { type Agent, agent } from "../proxy/agent.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { apiRig } from "./api-rig.ts";

const rambling: Script = () => ({ kind: "text", text: "Let me have another look at the table. ".repeat(60) });
const failing = (status: number): Script => {
  const answers = healthy(20);
  return (request, i) => (i === 0 ? answers(request, i) : { kind: "error", status, message: "not now" });
};
const requestsOnly = JSON.stringify({ extends: "default", name: "default", intercept: "off" });
/** The model is told to finish at 5, and nothing else is due before 9. */
const farApart = JSON.stringify({
  extends: "default",
  name: "default",
  ladders: { "repeated-call": { nudge: 3, "force-done": 5, "short-circuit": 9 } },
});
const observe = { UNLOOP_MODE: "observe" };

interface Row {
  readonly name: string;
  readonly script: Script;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly turns: number;
  readonly next?: (run: Agent) => Promise<unknown>;
  readonly is: object;
}

const onwards = (run: Agent) => {
  run.hear("Look at Rome instead, and tell me about its weather.");
  return run.turn();
};
const rows: readonly Row[] = [
  { name: "that is healthy", script: healthy(3), turns: 2, is: { state: "running", why: "", blocked: false } },
  {
    name: "that was nudged, and has not gone on with it yet",
    script: looping("nothing"),
    turns: 3,
    is: { state: "warned", why: "search: the same call with the same outcome, 3 times", keptBack: 1 },
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
    name: "that has left its loop for five steps",
    script: (asked, i) => (asked.view.turns < 3 ? looping("nothing") : healthy(99))(asked, i),
    env: { UNLOOP_POLICY: requestsOnly },
    turns: 12,
    is: { state: "recovered", loop: { rung: "nudge" } },
  },
  {
    name: "that was told to finish, called again, and was answered in its model's place",
    script: looping("nothing"),
    env: { UNLOOP_POLICY: farApart },
    turns: 5,
    is: {
      state: "ended",
      blocked: true,
      loop: { rung: "short-circuit", count: 5, due: { rung: "force-done", at: 5 }, next: null },
      interventions: { nudge: 1, "short-circuit": 1 },
      observed: {},
      keptBack: 2,
    },
  },
  {
    name: "that knocks on after its end",
    script: looping("nothing"),
    turns: 9,
    is: { state: "ended", answered: 5, keptBack: 6, avoidedTokens: expect.toSatisfy((tokens) => tokens > 0) },
  },
  {
    name: "that the guard ended, and whose user has spoken since",
    script: looping("nothing"),
    turns: 6,
    next: onwards,
    is: { state: "running", blocked: false },
  },
  {
    name: "that goes on in observe mode long after the guard would have ended it",
    script: looping("nothing"),
    env: observe,
    turns: 15,
    is: {
      state: "looping",
      blocked: false,
      interventions: {},
      observed: { nudge: 1, "force-done": 1, "short-circuit": expect.toSatisfy((times) => times > 5) },
      keptBack: 0,
      answered: 0,
    },
  },
  {
    name: "whose answer was cut off",
    script: rambling,
    turns: 1,
    is: { state: "cut", why: expect.stringMatching(/^\d+ repeats of about \d+ tokens$/), interventions: { cut: 1 } },
  },
  {
    name: "that the upstream does not answer",
    script: failing(429),
    turns: 5,
    is: { state: "failing", failing: "429", failures: { 429: 4 } },
  },
  {
    name: "that is named by its own header, whatever library it asks with",
    script: healthy(1),
    headers: { "x-unloop-agent": "researcher", "user-agent": "OpenAI/JS 5.1" },
    turns: 1,
    is: { agent: "researcher" },
  },
];

it.each(rows)("a session $name is listed as what it is", async ({ script, env = {}, headers, turns, next, is }) => {
  const rig = await apiRig(env, script);
  const run = agent({
    ...rig,
    headers: { "x-unloop-session": "run", ...headers },
    extra: { stream: true },
  });
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

it("the upstream's errors stand between a thread's steps, as often as they came", async () => {
  const { call, ...rig } = await apiRig({}, failing(429));
  await agent(rig).turns(5);
  const { body } = await vi.waitFor(async () => {
    const listed = await call("listSessions");
    expect(listed.body.sessions[0]?.failures).toEqual({ 429: 4 });
    return listed;
  });
  const { lineages } = (await call("readSession", { id: body.sessions[0].id })).body;
  expect(lineages[0].times).toMatchObject([
    { step: 0, failure: null, times: 1 },
    { step: 1, failure: "429", times: 4 },
  ]);
});

const longName = "build-4711/of-the-branch/with-a-long-name";

it.each([
  { names: "short", is: expect.stringMatching(/^build-47\.\.[\w-]{6}$/), others: "other" },
  { names: "whole", is: longName, others: "build-4711/on" },
])("with $names names a session is found by its beginning", async ({ names, is, others }) => {
  const rig = await apiRig({ UNLOOP_SESSION_NAMES: names });
  await agent({ ...rig, headers: { "x-unloop-session": longName } }).turns(2);
  const named = async (q: string) => (await rig.call("listSessions", { query: { q } })).body.sessions;
  for (const q of ["build", "build-4711/of"]) expect(await named(q), q).toMatchObject([{ name: is }]);
  expect(await named(others)).toEqual([]);
});
