import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { Edit } from "../../../src/protocols/protocol.ts";
import { body, mark, type Message, result, said, system, text, thinking, use, user } from "./support.ts";

function rewritten(sent: string, ...edits: readonly Edit[]): string {
  const request = protocol.parse(sent);
  return request === undefined ? sent : protocol.rewrite(request, edits);
}
const note = (step: number, words = "Stop."): Edit => ({ kind: "note", step, text: words });
const finish = (tool?: string): Edit => ({ kind: "finish", tool });
const preamble: Edit = { kind: "preamble", text: "Look first." };

const history = [
  user(text("Look.")),
  said(thinking("Hm"), use("a")),
  user(result("a", "one"), text("<system-reminder>x</system-reminder>")),
  said(use("b")),
  user(result("b", "two", mark)),
];

describe("a note", () => {
  it("stands at the end of the last result of its step; all else is as it was", () => {
    const sent = body(history);
    const [before, after] = sent.split('two"');
    expect(rewritten(sent, note(1, "Stop.\nNow."))).toBe(`${before}two\\n\\nStop.\\nNow."${after}`);
  });

  it("is a text block of a result that is a list of texts and pictures", () => {
    const { messages } = JSON.parse(
      rewritten(body([...history.slice(0, -1), user(result("b", [text("two")]))]), note(1)),
    );
    expect(messages.at(-1).content).toEqual([result("b", [text("two"), text("Stop.")])]);
  });

  it("stands behind a result that may have no text, or has no content", () => {
    for (const content of [[{ type: "tool_reference", tool_name: "bash" }], undefined]) {
      const { messages } = JSON.parse(rewritten(body([...history.slice(0, -1), user(result("b", content))]), note(1)));
      expect(messages.at(-1).content.at(-1)).toEqual(text("Stop."));
    }
  });

  it("stands in the result of its own call, where the message brings others", () => {
    const sent = body([user(text("Look.")), said(use("a"), use("b")), user(result("a", "one"), result("b", "two"))]);
    const { messages } = JSON.parse(rewritten(sent, { kind: "note", step: 0, call: "a", text: "Stop." }));
    expect(messages.at(-1).content).toEqual([result("a", "one\n\nStop."), result("b", "two")]);
  });

  it("stands in its own step's message, though an instruction comes behind it", () => {
    const sent = body([...history, system([text("Keep them posted.", mark)])]);
    const messages = JSON.parse(rewritten(sent, note(0), note(1))).messages;
    expect(messages[2].content[0]).toEqual(result("a", "one\n\nStop."));
    expect(messages[4].content[0]).toEqual(result("b", "two\n\nStop.", mark));
    expect(messages.at(-1)).toEqual(JSON.parse(sent).messages.at(-1));
  });

  it("goes on a message that is a string as a paragraph", () => {
    const sent = body([{ role: "user", content: "Look." }, said(text("Here.")), { role: "user", content: "Again." }]);
    expect(JSON.parse(rewritten(sent, note(0))).messages.at(-1).content).toBe("Again.\n\nStop.");
  });

  it.each([
    ["comes behind an answer that nobody has answered", [user(text("Look.")), said(use("a"))]],
    [
      "comes between a call and its late result",
      [user(text("a")), said(use("a")), said(use("b")), user(result("a", "1"), result("b", "2"))],
    ],
  ])("never %s", (_, messages) => {
    const sent = body(messages);
    expect(rewritten(sent, note(0))).toBe(sent);
  });

  it("between two answers is a message of its own", () => {
    const { messages } = JSON.parse(
      rewritten(body([user(text("a")), said(text("b")), said(text("c")), user(text("d"))]), note(0)),
    );
    expect(messages[2]).toEqual({ role: "user", content: [{ type: "text", text: "Stop." }] });
  });
});

describe("a preamble", () => {
  it.each([
    ["is the system prompt where there is none", {}, "Look first."],
    ["is a paragraph behind one", { system: "Be brief." }, "Be brief.\n\nLook first."],
    ["is a block behind others", { system: [text("Be brief.", mark)] }, [text("Be brief.", mark), text("Look first.")]],
    ["is not said twice", { system: [text("Be brief. Look first.")] }, [text("Be brief. Look first.")]],
  ])("%s", (_, more: Message, expected) => {
    expect(JSON.parse(rewritten(body(history, more), preamble)).system).toEqual(expected);
  });

  it("is said when a thread begins, and never again", () => {
    const created = body(history, { thread: { type: "create" } });
    expect(JSON.parse(rewritten(created, preamble)).system).toBe("Look first.");
    const continued = body([user(result("a", "one"))], { thread: { type: "continue", previous_message_id: "msg_1" } });
    expect(rewritten(continued, preamble)).toBe(continued);
  });
});

describe("made to finish", () => {
  const done = { name: "done", input_schema: { type: "object", properties: { text: { type: "string" } } } };
  const tools = [{ name: "bash", input_schema: {} }, done];
  const finished = (more: Message, tool?: string) => JSON.parse(rewritten(body(history, more), finish(tool)));

  it("a model may call no tool", () => {
    expect(finished({ tools, tool_choice: { type: "auto" } })).toMatchObject({ tools, tool_choice: { type: "none" } });
    expect(finished({ tools, thinking: { type: "adaptive" } })).toMatchObject({ tool_choice: { type: "none" } });
  });

  it("a model may call nothing but the done tool", () => {
    expect(finished({ tools }, "done")).toMatchObject({ tools: [done], tool_choice: { type: "tool", name: "done" } });
  });

  it.each([
    ["thinks", { tools, thinking: { type: "enabled", budget_tokens: 1024 } }],
    ["thinks when it likes", { tools, thinking: { type: "adaptive" } }],
  ])("a model that %s is told so in words alone: the API takes no choice of a tool then", (_, more) => {
    const sent = body(history, more);
    expect(rewritten(sent, finish("done"))).toBe(sent);
  });

  it("a model that is told not to think may be", () => {
    expect(finished({ tools, thinking: { type: "disabled" } }, "done").tool_choice).toEqual({
      type: "tool",
      name: "done",
    });
  });

  it("a history that refers to its tools keeps them", () => {
    const found = user(result("b", [{ type: "tool_reference", tool_name: "bash" }]));
    const sent = body([...history.slice(0, -1), found], { tools });
    expect(rewritten(sent, finish("done"))).toBe(sent);
  });

  it("without tools there is nothing to choose", () => {
    const sent = body(history, { thread: { type: "continue", previous_message_id: "msg_1" }, tools: [] });
    expect(rewritten(sent, finish())).toBe(sent);
  });

  it("the one tool for all actions keeps the last one alone", () => {
    const ends = { type: "object", properties: { end: { type: "object" } } };
    const items = { anyOf: [{ type: "object", properties: { click: {} } }, ends] };
    const wrapper = { name: "act", input_schema: { type: "object", properties: { action: { type: "array", items } } } };
    const { tools: offered, tool_choice } = finished({ tools: [wrapper] }, "end");
    expect(offered[0].input_schema.properties.action.items).toEqual(ends);
    expect(tool_choice).toEqual({ type: "tool", name: "act" });
  });
});
