import { expect, it } from "vitest";
import { runStates } from "../../src/activity/activity.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { apiRig } from "./api-rig.ts";

const failing: Script = (request, i) =>
  i === 0 ? healthy(20)(request, i) : { kind: "error", status: 429, message: "not now" };
const policyWith = (more: object) => ({
  UNLOOP_POLICY: JSON.stringify({ extends: "default", name: "default", ...more }),
});
/** The model is told to finish at 5, and nothing else is due before 9. */
const farApart = { "repeated-call": { nudge: 3, "force-done": 5, "short-circuit": 9 } };
const often = expect.toSatisfy((times) => times > 5);

interface Row {
  readonly name: string;
  readonly script?: Script;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly turns: number;
  readonly heard?: string;
  readonly is: object;
}

const rows: readonly Row[] = [
  { name: "that is healthy", script: healthy(3), turns: 2, is: { state: "running", why: "", blocked: false } },
  {
    name: "that was nudged, and has not gone on with it yet",
    turns: 3,
    is: { state: "warned", why: "search: the same call with the same outcome, 3 times", keptBack: 1 },
  },
  {
    name: "that goes on with its loop after a nudge",
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
    env: policyWith({ intercept: "off" }),
    turns: 12,
    is: { state: "recovered", loop: { rung: "nudge" } },
  },
  {
    name: "that was told to finish, called again, and was answered in its model's place",
    env: policyWith({ ladders: farApart }),
    turns: 5,
    is: {
      ...{ state: "ended", blocked: true, observed: {}, keptBack: 2 },
      loop: { rung: "short-circuit", count: 5, due: { rung: "force-done", at: 5 }, next: null },
      interventions: { nudge: 1, "short-circuit": 1 },
    },
  },
  {
    name: "that knocks on after its end",
    turns: 9,
    is: { state: "ended", answered: 5, keptBack: 6, avoidedTokens: expect.toSatisfy((tokens) => tokens > 0) },
  },
  {
    name: "that the guard ended, and whose user has spoken since",
    turns: 6,
    heard: "Look at Rome instead, and tell me about its weather.",
    is: { state: "running", blocked: false },
  },
  {
    name: "that goes on in observe mode long after the guard would have ended it",
    env: { UNLOOP_MODE: "observe" },
    turns: 15,
    is: {
      ...{ state: "looping", blocked: false, interventions: {}, keptBack: 0, answered: 0 },
      observed: { nudge: 1, "force-done": 1, "short-circuit": often },
    },
  },
  {
    name: "whose answer was cut off",
    script: () => ({ kind: "text", text: "Let me have another look at the table. ".repeat(60) }),
    turns: 1,
    is: { state: "cut", why: expect.stringMatching(/^\d+ repeats of about \d+ tokens$/), interventions: { cut: 1 } },
  },
  {
    name: "that the upstream does not answer",
    script: failing,
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

it.each(rows)("a session $name is listed as what it is", async ({ script, env, headers = {}, turns, heard, is }) => {
  const rig = await apiRig(env, script);
  const run = rig.agent("run", { headers, extra: { stream: true } });
  await run.turns(turns);
  if (heard !== undefined) {
    run.hear(heard);
    await run.turn();
  }
  const [session] = await rig.sessions(is);
  for (const state of runStates) {
    const { body } = await rig.call("listSessions", { query: { state } });
    expect(body.sessions, state).toHaveLength(session.state === state ? 1 : 0);
  }
  if (session.state !== "failing") return;
  // The upstream's errors stand between a thread's steps, as often as they came.
  const { lineages } = (await rig.call("readSession", { id: session.id })).body;
  expect(lineages[0].times).toMatchObject([
    { step: 0, failure: null, times: 1 },
    { step: 1, failure: "429", times: 4 },
  ]);
});
