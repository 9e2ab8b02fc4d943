import { describe, expect, it, vi } from "vitest";
import type { Meter } from "../../src/index.ts";
import { noMeter } from "../../src/proxy/proxy.ts";
import { guardRig, post, standard } from "./guard-rig.ts";

const call = (i: number, result: string) => [
  {
    role: "assistant",
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: result },
];

/** A run that asks for the same again and again behind a long beginning. */
const body = (early: number) =>
  JSON.stringify({
    model: "m",
    messages: [
      { role: "user", content: "Mend it." },
      ...Array.from({ length: 240 }, (_, i) => ({ role: "assistant", content: `${i} `.repeat(early / 1_000) })),
      ...Array.from({ length: 5 }, (_, i) => call(i, "no such file")).flat(),
    ],
  });

describe("a request of which there is more than the budget lets be read", () => {
  it("is judged by its head and tail, reaches the upstream whole, and says so in a header, in the log and to the meter", async () => {
    const counted: string[] = [];
    const meter: Meter = { ...noMeter, exchange: (_verdict, _seconds, _stepless, read) => void counted.push(read) };
    const rig = await guardRig(() => ({ kind: "text", text: "ok" }), { meter, mode: "observe" });
    const sent = body(20_000_000);
    const [small, large] = [await post(rig.url, body(20_000)), await post(rig.url, sent)];
    expect(small.headers.get("x-unloop-read")).toBeNull();
    expect(large.headers.get("x-unloop-read")).toBe("partly");
    expect(large.headers.get("x-unloop-verdict")).toMatch(/^observe:/);
    expect(rig.upstream.requests[1]?.bytes.equals(Buffer.from(sent))).toBe(true);
    await vi.waitFor(() => expect(counted).toEqual(["whole", "partly"]));
    const exchanges = rig.logged.filter(({ event }) => event === "exchange");
    expect(exchanges.map(({ read }) => read)).toEqual([undefined, "partly"]);
  });
});

const act = (i: number, text: string) => [
  { role: "assistant", content: `Thought: on\nAction: look\nAction Input: {"page":1}\n${text}` },
  { role: "user", content: "Observation: nothing here" },
  { role: "user", content: `${i}` },
];
/** Texts of nothing but labels, which cost most. */
const dear = "\n\n#Thought:".repeat(200);
const labelled = (count: number) =>
  JSON.stringify({
    model: "m",
    messages: [
      { role: "user", content: "go" },
      ...Array.from({ length: count }, () => ({ role: "assistant", content: dear })),
      ...Array.from({ length: 9 }, (_, i) => act(i, "")).flat(),
    ],
  });

describe("a request of which the reading costs more than it may", () => {
  it("passes as unguarded, as it came: nothing is done by half of it, and nothing kept", async () => {
    const rig = await guardRig(() => ({ kind: "text", text: "ok" }), { policy: standard() });
    const { headers } = await post(rig.url, labelled(1_500));
    expect([headers.get("x-unloop-verdict"), headers.get("x-unloop-unread")]).toEqual(["unguarded", "size"]);
    expect(rig.upstream.requests[0]?.bytes.toString()).toBe(labelled(1_500));
    await vi.waitFor(() => expect(rig.logged).toContainEqual(expect.objectContaining({ unread: "size" })));
    expect(rig.logged.map(({ event }) => event)).not.toContain("recorded");
  });

  it("is refused where the operator says so", async () => {
    const rig = await guardRig(() => ({ kind: "text", text: "ok" }), { policy: standard(), unreadable: "refuse" });
    const { status, text } = await post(rig.url, labelled(1_500));
    expect([status, JSON.parse(text).error.code]).toEqual([413, "body_too_large"]);
    expect(rig.upstream.requests).toEqual([]);
  });
});
