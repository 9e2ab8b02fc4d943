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

it("an end where a union of a thousand branches is demanded, the first of them of ten thousand members", async () => {
  const { url } = await guardRig(done);
  const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, {}]));
  const branches = [members, ...Array(999).fill({ a: {} })].map((properties) => ({ type: "object", properties }));
  const parameters = { type: "object", properties: { action: { anyOf: branches } } };
  const tools = [{ type: "function", function: { name: "act", parameters } }];
  const { headers } = await post(url, chatBody([user("go"), ...laps(12)], { tools, tool_choice: "required" }));
  expect(headers.get("x-unloop-verdict")).toBe("short-circuit");
});

const labels = { role: "assistant", content: "\n\n#Action:".repeat(200) };
const figures = Array.from({ length: 96 }, (_, turn) => {
  const ids = Array.from({ length: 7 }, (__, i) => 7 * turn + i);
  const calls = ids.map((id) => ({
    ...{ id: `c${id}`, type: "function" },
    function: { name: "look", arguments: `{"path":"src/${id % 29}.ts"}` },
  }));
  const results = ids.map((id) => ({
    ...{ role: "tool", tool_call_id: `c${id}` },
    content: Array.from({ length: 24 }, (__, at) => (id * at) % 17).join(" one "),
  }));
  return [{ role: "assistant", content: null, tool_calls: calls }, ...results];
}).flat();

it.each([
  [
    "texts of nothing but labels: the request passes unread",
    [user("go"), ...Array(1_500).fill(labels), user("go")],
    "size",
  ],
  ["steps that take long to compare: they are read", [user("go"), ...figures], null],
])("%s, and the next one is read", async (_, messages, unread) => {
  const { url } = await guardRig(done, { mode: "observe" });
  const { status, headers } = await post(url, chatBody(messages));
  expect([status, headers.get("x-unloop-unread")]).toEqual([200, unread]);
  expect((await post(url, chatBody([user("go")]))).headers.get("x-unloop-verdict")).toBe("ok");
});

it("an answer of thousands of calls passes whole", async () => {
  const calls = Array.from({ length: 4_000 }, (_, i) => ({ id: `a${i}`, tool: "look", args: `{"q":${i}}` }));
  const { url } = await guardRig(() => ({ kind: "calls", calls }));
  const { status, text } = await post(url, chatBody([user("go")]));
  expect([status, JSON.parse(text).choices[0].message.tool_calls.length]).toEqual([200, 4_000]);
});
