import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { agent } from "./agent.ts";
import { guardRig, post, verdictOf } from "./guard-rig.ts";

describe("every guarded answer says", () => {
  it("what was done to it, by which detector, at which count, and in which session", async () => {
    const rig = await guardRig(looping("nothing"));
    const turns = await agent({ ...rig, headers: { "x-unloop-session": "run-1" } }).turns(7);
    const named = { "x-unloop-session": "run-1", "x-unloop-session-source": "header:x-unloop-session" };
    const ok = { ...named, "x-unloop-verdict": "ok" };
    const found = (count: number) => ({ "x-unloop-detector": "repeated-call", "x-unloop-count": String(count) });
    expect(turns.map(({ headers }) => verdictOf(headers))).toEqual([
      ok,
      ok,
      ok,
      { ...named, ...found(3), "x-unloop-verdict": "nudge" },
      { ...ok, "x-unloop-sticky": "1" },
      { ...named, ...found(5), "x-unloop-verdict": "force-done", "x-unloop-sticky": "1" },
      { ...named, ...found(6), "x-unloop-verdict": "short-circuit" },
    ]);
  });

  it("the guard's verdict and not one that the upstream makes up", async () => {
    const fields = { "content-type": "application/json", "x-unloop-verdict": "short-circuit", "x-unloop-session": "x" };
    const rig = await guardRig(() => ({ kind: "raw", status: 200, fields, pieces: ["{}"], ending: "end" }));
    const { headers } = await post(rig.url, '{"messages":[{"role":"user","content":"hi"}]}');
    expect(headers.get("x-unloop-verdict")).toBe("ok");
    expect(headers.get("x-unloop-session")).not.toBe("x");
  });
});

describe("what the guard is told", () => {
  it("in x-unloop-* fields never reaches the upstream, and everything else does", async () => {
    const rig = await guardRig(looping("nothing"));
    const headers = {
      "x-unloop-session": "run-1",
      "x-unloop-mode": "off",
      "x-unloop-anything": "1",
      "openai-organization": "org-1",
      "x-stainless-lang": "js",
    };
    await post(rig.url, '{"messages":[{"role":"user","content":"hi"}]}', headers);
    await fetch(`${rig.url}/v1/models`, { headers });
    for (const { fields } of rig.upstream.requests) {
      expect(Object.keys(fields).filter((name) => name.startsWith("x-unloop-"))).toEqual([]);
      expect(fields).toMatchObject({ "openai-organization": "org-1", "x-stainless-lang": "js" });
    }
    expect(rig.upstream.requests).toHaveLength(2);
  });
});
