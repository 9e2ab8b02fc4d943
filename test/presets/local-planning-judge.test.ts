import { describe, expect, it, onTestFinished, vi } from "vitest";
import { unloop } from "../../src/index.ts";
import { nodeTransport } from "../../src/transport/node.ts";
import { post } from "../proxy/guard-rig.ts";
import { called, chatBody, user } from "../support/builders/chat-history.ts";
import { storesVia } from "../support/builders/stores.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { upstreamOf } from "../support/servers/of-test.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import {
  type Act,
  fine,
  type JudgeScript,
  type PlanOptions,
  planRig,
  play,
  silent,
  told,
  waiting,
  walk,
} from "./planner.ts";

const raw = (ending: "end" | "hang", ...pieces: readonly string[]) =>
  ({ kind: "raw", status: 200, fields: { "content-type": "application/json" }, pieces, ending }) as const;

async function outcome(given: PlanOptions) {
  const { rig, taken } = await play(given);
  return { rig, verdicts: told(taken), sent: rig.upstream.requests.map(({ bytes }) => bytes.toString()) };
}

const judgeServer = (judge: () => ScriptedAnswer) => upstreamOf(judge);

describe("a judge that is no help changes nothing", () => {
  it.each([
    { name: "answers nonsense", judge: () => ({ kind: "text", text: "Rather near, I should say." }), is: "unparsable" },
    { name: "answers 500", judge: () => ({ kind: "error", status: 500, message: "down" }), is: "refused" },
    { name: "answers without end", judge: () => raw("end", "x".repeat(300_000), "y"), is: "failed" },
  ] satisfies readonly { name: string; judge: JudgeScript; is: string }[])("where it $name", async ({ judge, is }) => {
    const { verdicts, sent } = await outcome({});
    const { rig, ...judged } = await outcome({ judge });
    expect(judged).toEqual({ verdicts, sent });
    expect(rig.judged).toEqual(Array(5).fill(is));
    expect(rig.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  it("where it hangs: its one question ends with the guard", async () => {
    const transport = nodeTransport();
    const { rig, verdicts } = await outcome({ judge: () => raw("hang", '{"choices"'), options: { transport } });
    expect(verdicts).toBe((await outcome({})).verdicts);
    expect([rig.asked.map(({ aborted }) => aborted), rig.judged]).toEqual([[false], []]);
    await transport.close();
    await vi.waitFor(() => expect(rig.asked[0]?.aborted).toBe(true));
    // The newest of those that waited is tried, too.
    await vi.waitFor(() => expect(new Set(rig.judged)).toEqual(new Set(["failed"])));
  });
});

it("a judge that sends the question elsewhere is not followed", async () => {
  const other = await judgeServer(() => ({ kind: "text", text: JSON.stringify(fine("", 0)) }));
  const fields = { "content-type": "application/json", location: `${other.url}/v1/chat/completions` };
  const { rig } = await outcome({ judge: () => ({ ...raw("end", "{}"), status: 307, fields }) });
  expect(rig.judged).toEqual(Array(5).fill("refused"));
  expect(other.requests).toEqual([]);
});

describe("the judge is asked", () => {
  it("at its own address, with its own key and never the agent's, and where policy and environment name it", async () => {
    const upstream = await upstreamOf(silent);
    const judge = await judgeServer(() => ({ kind: "text", text: '{"distance": 4}' }));
    const env = {
      ...{ UNLOOP_POLICY: "local-planning", UNLOOP_JUDGE_UPSTREAM: judge.url, UNLOOP_JUDGE_MODEL: "small" },
      UNLOOP_JUDGE_KEY: "sk-judge",
    };
    const guard = await startGuard({ upstream: upstream.url, env });
    onTestFinished(guard.close);
    const clicked = called("c1", "click", {}, "The page behind it, in full.");
    await post(guard.url, chatBody([user("Reach the goal."), ...clicked]));
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${guard.url}/unloop/metrics`)).text();
      expect(metrics).toContain('unloop_judged_total{outcome="scored"} 1');
    });
    const [asked] = judge.requests;
    expect([asked?.target, asked?.fields.authorization]).toEqual(["/v1/chat/completions", "Bearer sk-judge"]);
    expect(JSON.stringify(asked?.fields)).not.toContain("sk-test");
    expect(asked?.json).toMatchObject({ model: "small" });
  });

  it.each([
    { name: "after every other step", policy: { judge: { every: 2 } }, count: 3 },
    { name: "never, where the policy has no judge", policy: { judge: null }, count: 0 },
  ])("$name", async ({ policy, count }) =>
    expect((await outcome({ judge: fine, policy })).rig.asked).toHaveLength(count),
  );
});

describe("what is kept and told of it", () => {
  it("is no text of the conversation or the judge, and keys do not reach the judge", async () => {
    const secret = `sk-live${"a1B2".repeat(8)}`;
    const kept: unknown[] = [];
    const stores = storesVia((own, _, given) => {
      kept.push(given);
      return own();
    });
    const stuck = { distance: 3, distance_before: 3, reasons: "Of secretreason.", unexplored: ["secretoption"] };
    const rig = await planRig(silent, { judge: () => stuck, policy: waiting, options: { stores } });
    const shows = `Contact ann.lee@mail.example.com, key ${secret}, password: hunter2.`;
    const acts = ["aaa", "bbb", "ccc"].map((element): Act => [element, `Page ${element}. ${shows}`]);
    expect(told(await walk(rig, acts, "Find the secrettask."))).toContain("nudge");
    for (const text of ["secrettask", "secretoption", "secretreason", "Contact", secret, "sk-judge"])
      expect(JSON.stringify([kept, rig.logged])).not.toContain(text);
    const asked = rig.asked.map(({ bytes }) => bytes.toString()).join();
    expect(asked).toContain("secrettask");
    for (const text of [secret, "ann.lee", "hunter2"]) expect(asked).not.toContain(text);
  });

  it("is a warning where a policy has a judge and the program has none", () => {
    const lines: string[] = [];
    const nothing = () => undefined;
    const warn = (_: object, event: string) => void lines.push(event);
    const log = { debug: nothing, info: nothing, error: nothing, warn };
    unloop({ upstream: "http://127.0.0.1:1", policy: "local-planning", log });
    unloop({ upstream: "http://127.0.0.1:1", log });
    expect(lines).toEqual(["no-judge"]);
  });
});
