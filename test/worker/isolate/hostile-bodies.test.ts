import { expect, it } from "vitest";
import { guardRig, post } from "../../proxy/guard-rig.ts";

/* What costs most is looked at within the work of one request in workerd, too. */

const looped = Array.from({ length: 12 }, (_, i) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "look", arguments: '{"q":1}' } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: "nothing here" },
]).flat();
const user = { role: "user", content: "go" };
const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 0]));
const schema = { allOf: [{ $ref: "#" }, { $ref: "#" }], ...keys };
const labels = { role: "assistant", content: "\n\n#Thought:".repeat(200) };

it("an end in the form of a schema that refers to itself", async () => {
  const { url } = await guardRig(() => ({ kind: "text", text: "Done." }));
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const { status, headers } = await post(
    url,
    JSON.stringify({ model: "m", messages: [user, ...looped], response_format }),
  );
  expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "short-circuit"]);
});

it("texts of nothing but labels", async () => {
  const { url } = await guardRig(() => ({ kind: "text", text: "Done." }), { mode: "observe" });
  const { status, headers } = await post(
    url,
    JSON.stringify({ model: "m", messages: [user, ...Array(1_500).fill(labels), user] }),
  );
  expect([status, headers.get("x-unloop-unread")]).toEqual([200, "size"]);
});

it("an answer of thousands of calls passes whole", async () => {
  const calls = Array.from({ length: 4_000 }, (_, i) => ({ id: `a${i}`, tool: "look", args: `{"q":${i}}` }));
  const { url } = await guardRig(() => ({ kind: "calls", calls }));
  const { status, text } = await post(url, JSON.stringify({ model: "m", messages: [user] }));
  expect([status, JSON.parse(text).choices[0].message.tool_calls.length]).toEqual([200, 4_000]);
});
