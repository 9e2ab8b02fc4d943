import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { runStates } from "../../src/activity/activity.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { apiRig } from "./api-rig.ts";

interface Row {
  readonly model?: keyof typeof models;
  readonly mode?: string;
  readonly policy?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly turns: number;
  readonly heard?: string;
  readonly is: object;
}
const rows: Readonly<Record<string, Row>> = parse(readFileSync("test/fixtures/admin/states.yaml", "utf8"));

const models = {
  healthy: healthy(3),
  looping: looping("nothing"),
  heeding: looping({ nudge: "[unloop]" }),
  leaving: (asked, i) => (asked.view.turns < 3 ? looping("nothing") : healthy(99))(asked, i),
  rambling: () => ({ kind: "text", text: "Let me have another look at the table. ".repeat(60) }),
  failing: (asked, i) => (i === 0 ? healthy(20)(asked, i) : { kind: "error", status: 429, message: "not now" }),
} as const satisfies Readonly<Record<string, Script>>;

it.each(Object.entries(rows))("a session %s is listed as what it is", async (_, row) => {
  const { model = "looping", mode = "enforce", policy, headers = {}, turns, heard, is } = row;
  const said = JSON.stringify({ extends: "default", name: "default", ...policy });
  const rig = await apiRig({ UNLOOP_MODE: mode, UNLOOP_POLICY: said }, models[model]);
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
  if (session.answered > 1) expect(session.avoidedTokens).toBeGreaterThan(0);
  if (session.state !== "failing") return;
  // The upstream's errors stand between a thread's steps, as often as they came.
  const { lineages } = (await rig.call("readSession", { id: session.id })).body;
  expect(lineages[0].times).toMatchObject([
    { step: 0, failure: null, times: 1 },
    { step: 1, failure: "429", times: 4 },
  ]);
});
