import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { responses as protocol } from "../../../src/protocols/responses/responses.ts";
import { anythingOr, exercise } from "../../support/checks/exercised.ts";
import { mutated } from "../../support/builders/mutated.ts";
import { body, called, result, said, searching, thought, user } from "./support.ts";

const request = JSON.parse(
  body(
    [
      user([{ type: "input_text", text: "q" }]),
      thought("rs_1"),
      called("a"),
      called("b", "done", '{"text":"x"}'),
      result("a"),
      result("b", [{ type: "input_text", text: "r" }]),
      said('{"actions":[{"action":"x"}]}'),
      user("Action error: gone"),
      { type: "custom_tool_call", call_id: "c", name: "bash", input: "ls" },
      { type: "custom_tool_call_output", call_id: "c", output: "a.txt" },
    ],
    {
      instructions: "Be kind.",
      tools: [searching, { type: "custom", name: "bash" }, { type: "function", name: "done", parameters: {} }],
      tool_choice: "auto",
      text: { format: { type: "json_schema", name: "end", schema: { type: "object" } } },
      conversation: { id: "conv_1" },
      stream: true,
    },
  ),
);

const anything = anythingOr("function_call", "message");

describe("never throws", () => {
  it("any JSON is read without a throw", () => {
    fc.assert(fc.property(fc.json(), (sent) => exercise(protocol, sent)));
  });

  it("a request with anything anywhere is read without a throw, and its steps stay whatever is added", () => {
    expect(protocol.parse(JSON.stringify(request))?.conversation.steps).toHaveLength(3);
    fc.assert(
      fc.property(anything, fc.nat(), anything, fc.nat(), (one, at, other, there) => {
        exercise(protocol, JSON.stringify(mutated(mutated(request, one, at), other, there)));
      }),
    );
  });
});
