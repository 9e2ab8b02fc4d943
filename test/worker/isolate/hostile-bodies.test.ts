import { expect, it } from "vitest";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { chatBody, laps, user } from "../../support/builders/chat-history.ts";

/* What costs most is looked at within the work of one request in workerd, too. */

const done = () => ({ kind: "text", text: "Done." }) as const;

it("an end in the form of a schema that refers to itself", async () => {
  const { url } = await guardRig(done);
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 0]));
  const schema = { allOf: [{ $ref: "#" }, { $ref: "#" }], ...keys };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const { status, headers } = await post(url, chatBody([user("go"), ...laps(12)], { response_format }));
  expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "short-circuit"]);
});

it("texts of nothing but labels", async () => {
  const { url } = await guardRig(done, { mode: "observe" });
  const labels = { role: "assistant", content: "\n\n#Thought:".repeat(200) };
  const { status, headers } = await post(url, chatBody([user("go"), ...Array(1_500).fill(labels), user("go")]));
  expect([status, headers.get("x-unloop-unread")]).toEqual([200, "size"]);
});

it("an answer of thousands of calls passes whole", async () => {
  const calls = Array.from({ length: 4_000 }, (_, i) => ({ id: `a${i}`, tool: "look", args: `{"q":${i}}` }));
  const { url } = await guardRig(() => ({ kind: "calls", calls }));
  const { status, text } = await post(url, chatBody([user("go")]));
  expect([status, JSON.parse(text).choices[0].message.tool_calls.length]).toEqual([200, 4_000]);
});
