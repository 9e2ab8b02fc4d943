import { describe, expect, it, vi } from "vitest";
import type { Meter } from "../../src/index.ts";
import { noMeter } from "../../src/proxy/proxy.ts";
import { chatBody, laps, repeated, user } from "../support/builders/chat-history.ts";
import { guardRig, post, standard } from "./guard-rig.ts";

const answering = () => ({ kind: "text", text: "ok" }) as const;
const assistant = (content: string) => [{ role: "assistant", content }];

it("a request of more than the budget lets be read is judged by its head and tail, reaches the upstream whole, and says so", async () => {
  const body = (early: number) =>
    chatBody([user("Mend it."), ...repeated(240, (i) => assistant(`${i} `.repeat(early / 1_000))), ...laps(5)]);
  const counted: string[] = [];
  const meter: Meter = { ...noMeter, exchange: (_verdict, _seconds, _stepless, read) => void counted.push(read) };
  const rig = await guardRig(answering, { meter, mode: "observe" });
  const sent = body(20_000_000);
  const [small, large] = [await post(rig.url, body(20_000)), await post(rig.url, sent)];
  expect([small, large].map(({ headers }) => headers.get("x-unloop-read"))).toEqual([null, "partly"]);
  expect(large.headers.get("x-unloop-verdict")).toMatch(/^observe:/);
  expect(rig.upstream.requests[1]?.bytes.equals(Buffer.from(sent))).toBe(true);
  await vi.waitFor(() => expect(counted).toEqual(["whole", "partly"]));
  const exchanges = rig.logged.filter(({ event }) => event === "exchange");
  expect(exchanges.map(({ read }) => read)).toEqual([undefined, "partly"]);
});

describe("a request of which the reading costs more than it may", () => {
  const dear = chatBody([
    user("go"),
    ...repeated(1_500, () => assistant("\n\n#Action:".repeat(200))),
    ...repeated(9, (i) => [
      ...assistant('Thought: on\nAction: look\nAction Input: {"page":1}\n'),
      user("Observation: nothing here"),
      user(`${i}`),
    ]),
  ]);

  it("passes as unguarded, as it came: nothing is done by half of it, and nothing kept", async () => {
    const rig = await guardRig(answering, { policy: standard() });
    const { headers } = await post(rig.url, dear);
    expect([headers.get("x-unloop-verdict"), headers.get("x-unloop-unread")]).toEqual(["unguarded", "size"]);
    expect(rig.upstream.requests[0]?.bytes.toString()).toBe(dear);
    await vi.waitFor(() => expect(rig.logged).toContainEqual(expect.objectContaining({ unread: "size" })));
    expect(rig.logged.map(({ event }) => event)).not.toContain("recorded");
  });

  it("is refused where the operator says so", async () => {
    const rig = await guardRig(answering, { policy: standard(), unreadable: "refuse" });
    const { status, text } = await post(rig.url, dear);
    expect([status, JSON.parse(text).error.code]).toEqual([413, "body_too_large"]);
    expect(rig.upstream.requests).toEqual([]);
  });
});
