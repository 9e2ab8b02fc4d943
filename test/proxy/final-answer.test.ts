import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import type { Policy } from "../../src/index.ts";
import { looping } from "../support/agents/scripts.ts";
import { agent, doneTool, searchTool } from "./agent.ts";
import { guardRig, requestsOnly } from "./guard-rig.ts";

const shapes = [
  { kind: "JSON", shape: {} },
  { kind: "an event stream with usage", shape: { stream: true, stream_options: { include_usage: true } } },
] as const;

const schema = {
  type: "object",
  properties: {
    verdict: { enum: ["sunny", "rainy", "unknown"] },
    days: { type: "integer" },
    why: { type: "string" },
  },
  required: ["verdict", "days", "why"],
  additionalProperties: false,
};

/** A run that the guard ends with its seventh answer, and that answer. */
async function ended(options: { extra: object; tools?: readonly object[]; policy?: Policy }) {
  const { policy, ...asks } = options;
  const rig = await guardRig(looping("nothing"), policy === undefined ? {} : { policy });
  const run = agent({ ...rig, ...asks });
  const ending = (await run.turns(7)).at(-1);
  if (ending === undefined) throw new Error("no turn was taken");
  return { ending, run, ...rig };
}

describe.each(shapes)("the guard's own ending as $kind", ({ shape }) => {
  it("says what happened and how to go on", async () => {
    const { ending } = await ended({ extra: shape });
    expect(ending.message.content).toContain("stopped because it was going in circles");
    expect(ending.message.content).toContain("A new instruction will let it go on.");
  });

  it("keeps to the schema that the request demands", async () => {
    const format = { type: "json_schema", json_schema: { name: "weather", strict: true, schema } };
    const { ending } = await ended({ extra: { ...shape, response_format: format } });
    const valid = new Ajv().compile(schema);
    expect(valid(JSON.parse(String(ending.message.content)))).toBe(true);
  });

  it("declines where any value of the schema would be a decision", async () => {
    const decision = {
      type: "object",
      properties: { decision: { enum: ["approve", "reject"] } },
      required: ["decision"],
    };
    const format = { type: "json_schema", json_schema: { name: "d", strict: true, schema: decision } };
    const { ending } = await ended({ extra: { ...shape, response_format: format } });
    expect(ending.message.content ?? "").toBe("");
    expect(ending.text).toMatch(/"refusal":"This run was stopped/);
  });

  it("is a complete answer of its kind", async () => {
    const { ending, run } = await ended({ extra: shape });
    const { model } = JSON.parse(run.body());
    const streams = "stream" in shape;
    expect(ending.headers.get("content-type")).toContain(streams ? "text/event-stream" : "application/json");
    if (!streams) {
      expect(JSON.parse(ending.text)).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-/),
        object: "chat.completion",
        created: expect.any(Number),
        model,
        choices: [{ index: 0, finish_reason: "stop" }],
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      });
      return;
    }
    const events = ending.text.split("\n\n").filter((event) => event !== "");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, "")));
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.flatMap(({ choices }) => choices).at(-1)).toMatchObject({ finish_reason: "stop" });
    expect(chunks.some(({ usage }) => usage?.total_tokens === 0)).toBe("stream_options" in shape);
  });
});

it("a policy that ends with an error answers with a status and a field that keep SDKs from repeating it", async () => {
  const policy = { ...requestsOnly(), finalResponse: "error" as const };
  const { ending, upstream } = await ended({ extra: { stream: true }, policy });
  const fields = ["x-should-retry", "x-unloop-verdict", "content-type"].map((name) => ending.headers.get(name));
  expect([ending.status, ...fields]).toEqual([400, "false", "short-circuit", "application/json"]);
  const message = expect.stringContaining("[unloop]");
  expect(JSON.parse(ending.text)).toEqual({
    error: { message, type: "invalid_request_error", param: null, code: "loop_detected" },
  });
  expect(upstream.requests).toHaveLength(6);
});

it.each([{ tools: [searchTool] }, { tools: [searchTool, doneTool] }])(
  "a run that just goes on behind its end is ended again as soon as it repeats itself again",
  async ({ tools }) => {
    const { run } = await ended({ extra: {}, tools });
    const verdicts = (await run.turns(2)).map(({ headers }) => headers.get("x-unloop-verdict"));
    expect(verdicts.at(-1)).toBe("short-circuit");
  },
);
