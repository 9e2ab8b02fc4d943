import { expect, it } from "vitest";
import type { Script } from "../support/servers/upstream.ts";
import { guardRig, post, standard } from "./guard-rig.ts";

const branch = (name: string, parameters: object) => ({
  type: "object",
  properties: {
    name: { const: name },
    parameters: { type: "object", properties: parameters, required: Object.keys(parameters) },
  },
  required: ["name", "parameters"],
});
const schema = {
  type: "object",
  properties: {
    item: {
      anyOf: [branch("lookup", { id: { type: "string" } }), branch("final_answer", { response: { type: "string" } })],
    },
  },
  required: ["item"],
};
const response_format = { type: "json_schema", json_schema: { name: "ToolCall", schema } };
const lookup = { item: { name: "lookup", parameters: { id: "x9" } } };

/** An agent that offers all its tools as one union in the schema of the answer, and tells its history in native calls. */
async function unionAgent(script: Script, stream: boolean) {
  const rig = await guardRig(script, { policy: standard() });
  const messages: object[] = [{ role: "user", content: "Who owns x9?" }];
  const verdicts: (string | null)[] = [];
  let runs = 0;
  for (let turn = 0; turn < 12; turn++) {
    const given = await post(rig.url, JSON.stringify({ model: "m", stream, response_format, messages }));
    verdicts.push(given.headers.get("x-unloop-verdict"));
    const text = stream ? streamed(given.text) : JSON.parse(given.text).choices[0].message.content;
    const { item } = JSON.parse(text);
    if (item.name === "final_answer") return { verdicts, runs, item, rig };
    const id = `call_${crypto.randomUUID()}`;
    const fn = { name: item.name, arguments: JSON.stringify(item.parameters) };
    messages.push({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: fn }] });
    messages.push({ role: "tool", tool_call_id: id, content: "Record x9 belongs to Ann." });
    runs += 1;
  }
  return { verdicts, runs, item: undefined, rig };
}

function streamed(text: string): string {
  const events = text.split("\n").filter((line) => line.startsWith("data: {"));
  return events.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "").join("");
}

it.each([false, true])(
  "all tools as one union in the answer's schema: a loop is held back and ended (streamed: %s)",
  async (stream) => {
    const { verdicts, runs, item, rig } = await unionAgent(
      () => ({ kind: "text", text: JSON.stringify(lookup) }),
      stream,
    );
    expect(runs).toBe(4);
    expect(verdicts).toHaveLength(5);
    expect(item.parameters.response).toContain("circles");
    const last = JSON.stringify(rig.upstream.requests.at(-1)?.json);
    expect(last).toContain('"const":"final_answer"');
    expect(last).not.toContain('"const":"lookup"');
  },
);

it("all tools as one union: different calls are left alone", async () => {
  const script: Script = (_, index) => {
    const parameters = { id: `record ${index}` };
    const done = { name: "final_answer", parameters: { response: "Ann." } };
    return { kind: "text", text: JSON.stringify({ item: index < 8 ? { name: "lookup", parameters } : done }) };
  };
  const { verdicts, runs } = await unionAgent(script, false);
  expect(runs).toBe(8);
  expect(new Set(verdicts)).toEqual(new Set(["ok"]));
});
