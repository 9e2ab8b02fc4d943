import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStores, type SessionKey, type Stores, unloop } from "../../src/index.ts";
import { post } from "../proxy/guard-rig.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import {
  doing,
  eventually,
  fine,
  type JudgeScript,
  pageOf,
  planRig,
  pursue,
  steps,
  tools,
  verdicts,
} from "./planner.ts";

describe("what is kept and told of it", () => {
  const secret = `sk-live${"a1B2".repeat(8)}`;
  const leaking = (_: string, { element }: { readonly element?: unknown }) =>
    `Page ${String(element)}. Contact ann.lee@mail.example.com, key ${secret}, password: hunter2.`;

  /** Every text that was given to the stores. */
  function recording(): { readonly stores: Stores; readonly kept: string[]; readonly counted: SessionKey[] } {
    const stores = memoryStores();
    const kept: string[] = [];
    const counted: SessionKey[] = [];
    return {
      kept,
      counted,
      stores: {
        ...stores,
        sessions: {
          ...stores.sessions,
          write: (key, json, version, ttlMs) => {
            kept.push(json);
            return stores.sessions.write(key, json, version, ttlMs);
          },
        },
        counters: {
          ...stores.counters,
          add: (key, amounts, ttlMs) => {
            counted.push(key);
            return stores.counters.add(key, amounts, ttlMs);
          },
        },
        journal: {
          ...stores.journal,
          append: (entry) => {
            kept.push(entry);
            return stores.journal.append(entry);
          },
        },
      },
    };
  }

  const stuck: JudgeScript = () => ({
    distance: 3,
    distance_before: 3,
    reasons: "Nothing of secretreason.",
    unexplored: ["secretoption"],
  });

  it("no text of the conversation or the judge is kept or logged, and keys do not reach the judge", async () => {
    const { stores, kept } = recording();
    const rig = await planRig(doing("click aaa", "snapshot", "click ccc", "snapshot", "done"), {
      judge: stuck,
      options: { stores },
    });
    const instead = {
      ...rig,
      settled: () => eventually(() => expect(rig.judged.length).toBe(rig.judge.requests.length)),
    };
    const taken = await pursue(instead, { tools, turns: 6, result: leaking, task: "Find the secrettask." });
    expect(verdicts(taken)).toContain("nudge");
    for (const text of ["secrettask", "secretoption", "secretreason", "Contact", secret, "sk-judge"]) {
      expect(kept.join()).not.toContain(text);
      expect(JSON.stringify(rig.logged)).not.toContain(text);
    }
    const asked = rig.judge.requests.map(({ bytes }) => bytes.toString()).join();
    expect(asked).toContain("secrettask");
    for (const text of [secret, "ann.lee", "hunter2"]) expect(asked).not.toContain(text);
  });

  it("calls and tokens of a session are in its record", async () => {
    const { stores, counted } = recording();
    const rig = await planRig(doing(...steps), { judge: fine, options: { stores } });
    const instead = {
      ...rig,
      settled: () => eventually(() => expect(rig.judged.length).toBe(rig.judge.requests.length)),
    };
    await pursue(instead, { tools, turns: 9, result: pageOf });
    const tokens = rig.judged.reduce((sum, one) => sum + one.tokens, 0);
    const ofSession = [...new Set(counted)];
    const [key] = ofSession;
    if (key === undefined) throw new Error("Nothing was counted.");
    await eventually(async () =>
      expect(await stores.counters.read(key)).toMatchObject({ judgeCalls: 5, judgeTokens: tokens }),
    );
    expect(ofSession).toHaveLength(1);
    expect(tokens).toBeGreaterThan(500);
  });
});

it("a server finds its judge in the environment, and shows it in its metrics", async () => {
  const upstream = await scriptedUpstream(doing("done"));
  const judge = await scriptedUpstream(() => ({ kind: "text", text: '{"distance": 4}' }));
  const env = {
    ...{ UNLOOP_POLICY: "local-planning", UNLOOP_JUDGE_UPSTREAM: judge.url, UNLOOP_JUDGE_MODEL: "small" },
    UNLOOP_JUDGE_KEY: "sk-judge",
  };
  const guard = await startGuard({ upstream: upstream.url, env });
  onTestFinished(async () => void (await Promise.all([guard.close(), upstream.close(), judge.close()])));
  const call = { id: "c1", type: "function", function: { name: "click", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Reach the goal." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "The page behind it, in full." },
  ];
  await post(guard.url, JSON.stringify({ model: "gpt-4o", messages }));
  await eventually(async () => {
    const metrics = await (await fetch(`${guard.url}/unloop/metrics`)).text();
    expect(metrics).toContain('unloop_judged_total{outcome="scored"} 1');
  });
  expect(judge.requests[0]?.fields.authorization).toBe("Bearer sk-judge");
  expect(judge.requests[0]?.json).toMatchObject({ model: "small" });
});

it("a program whose policy has a judge, and which has none, is warned", () => {
  const lines: string[] = [];
  const nothing = () => undefined;
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (_: object, event: string) => void lines.push(event),
  };
  unloop({ upstream: "http://127.0.0.1:1", policy: "local-planning", log });
  unloop({ upstream: "http://127.0.0.1:1", log });
  expect(lines).toEqual(["no-judge"]);
});
