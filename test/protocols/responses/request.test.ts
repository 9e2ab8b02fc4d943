import { describe, expect, it } from "vitest";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, parsed, result, user } from "./support.ts";

describe("a request that goes on from an answer", () => {
  const turn = { calls: [{ id: "c1", tool: "search", args: '{"q":"a"}' }], text: "I look." };

  it("has that answer's turn before what it tells", () => {
    const request = parsed(body([result("c1"), user("And Rome?")], { previous_response_id: "resp_1" }));
    expect(request.continuing?.(turn, "Paris?").conversation).toEqual({
      system: "",
      opening: ["Paris?"],
      steps: [{ ...turn, calls: [{ ...turn.calls[0], outcome: { text: "Rain." } }], heard: ["And Rome?"] }],
    });
  });

  it.each([
    { name: "a list", input: [result("c1")], last: '{"type":"function_call_output","call_id":"c1","output":"Rain."}' },
    { name: "a text", input: "And Rome?", last: '{"role":"user","content":"And Rome?"}' },
    { name: "nothing", input: [], last: '{"role":"assistant","content":"Done."}' },
  ])("says so in other words where the upstream knows another answer, before $name", ({ input, last }) => {
    const request = parsed(body(input, { previous_response_id: "resp_ours", big: 1 }));
    const items =
      request.standIn?.([{ id: "c0", tool: "search", args: "{}" }], { calls: [], text: "Done.", heard: [] }) ?? "";
    const going = request.continuing?.({ ...turn, standIn: { answerId: "resp_theirs", items } }, "");
    const sent = JSON.parse(going === undefined ? "" : responses.rewrite(going, []));
    expect(sent).toMatchObject({ model: "gpt-5", previous_response_id: "resp_theirs", big: 1 });
    expect(sent.input.slice(0, 2)).toMatchObject([
      { type: "function_call_output", call_id: "c0" },
      { role: "assistant" },
    ]);
    expect(JSON.stringify(sent.input.at(-1))).toBe(last);
  });
});
