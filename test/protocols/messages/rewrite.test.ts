import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { Edit } from "../../../src/protocols/protocol.ts";
import { body, mark, type Message, result, said, text, thinking, use, user } from "./support.ts";

function rewritten(sent: string, ...edits: readonly Edit[]): string {
  const request = protocol.parse(sent);
  return request === undefined ? sent : protocol.rewrite(request, edits);
}
const note = (step: number, words = "Stop."): Edit => ({ kind: "note", step, text: words });
const history = [
  user(text("Look.")),
  said(thinking("Hm"), use("a")),
  user(result("a", "one"), text("<system-reminder>x</system-reminder>")),
  said(use("b")),
];

describe("a note", () => {
  const edited = (messages: readonly unknown[], edit = note(0)) => JSON.parse(rewritten(body(messages), edit)).messages;

  it("stands at the end of the last result of its step; all else is as it was", () => {
    const sent = body([...history, user(result("b", "two", mark))]);
    const [before, after] = sent.split('two"');
    expect(rewritten(sent, note(1, "Stop.\nNow."))).toBe(`${before}two\\n\\nStop.\\nNow."${after}`);
  });

  it.each<[name: string, content: unknown, noted: Message]>([
    ["is a text block of a list of texts", [text("two")], result("b", [text("two"), text("Stop.")])],
    ["stands behind a result that may have no text", [{ type: "tool_reference", tool_name: "bash" }], text("Stop.")],
    ["stands behind one without content", undefined, text("Stop.")],
  ])("%s", (_, content, noted) => {
    expect(
      edited([...history, user(result("b", content))], note(1))
        .at(-1)
        .content.at(-1),
    ).toEqual(noted);
  });

  it("stands in the result of its own call, where the message brings others", () => {
    const sent = [user(text("Look.")), said(use("a"), use("b")), user(result("a", "one"), result("b", "two"))];
    const messages = edited(sent, { kind: "note", step: 0, call: "a", text: "Stop." });
    expect(messages.at(-1).content).toEqual([result("a", "one\n\nStop."), result("b", "two")]);
  });

  it("goes on a message that is a string as a paragraph, and between two answers is a message of its own", () => {
    const plain = { role: "user", content: "Again." };
    expect(edited([said(text("Here.")), plain]).at(-1).content).toBe("Again.\n\nStop.");
    expect(edited([user(text("a")), said(text("b")), said(text("c")), plain])[2]).toEqual(user(text("Stop.")));
  });

  it.each<[name: string, messages: readonly Message[]]>([
    ["comes behind an answer that nobody has answered", [user(text("Look.")), said(use("a"))]],
    ["comes between a call and its late result", [said(use("a")), said(use("b")), user(result("a", "1"))]],
  ])("never %s", (_, messages) => expect(rewritten(body(messages), note(0))).toBe(body(messages)));
});

describe("a preamble", () => {
  const preamble: Edit = { kind: "preamble", text: "Look first." };
  it.each<[name: string, more: Message, expected: unknown]>([
    ["is the system prompt where there is none", {}, "Look first."],
    ["is a paragraph behind one", { system: "Be brief." }, "Be brief.\n\nLook first."],
    ["is a block behind others", { system: [text("Be brief.", mark)] }, [text("Be brief.", mark), text("Look first.")]],
    ["is said when a thread begins", { thread: { type: "create" } }, "Look first."],
    ["is never said again in it", { thread: { type: "continue", previous_message_id: "msg_1" } }, undefined],
  ])("%s", (_, more, expected) => {
    expect(JSON.parse(rewritten(body(history, more), preamble)).system).toEqual(expected);
  });
});

describe("made to finish", () => {
  const done = { name: "done", input_schema: { type: "object", properties: { text: { type: "string" } } } };
  const tools = [{ name: "bash", input_schema: {} }, done];
  const choice = { type: "tool", name: "done" };
  it.each<[name: string, more: Message, tool: string | undefined, expected: Message]>([
    ["may call no tool", { tools, tool_choice: { type: "auto" } }, undefined, { tools, tool_choice: { type: "none" } }],
    ["may call nothing but the done tool", { tools }, "done", { tools: [done], tool_choice: choice }],
  ])("a model %s", (_, more, tool, expected) => {
    expect(JSON.parse(rewritten(body(history, more), { kind: "finish", tool }))).toMatchObject(expected);
  });

  const found = user(result("b", [{ type: "tool_reference", tool_name: "bash" }]));
  it.each<[name: string, sent: string]>([
    ["thinks, for the API takes no choice then", body(history, { tools, thinking: { type: "enabled" } })],
    ["thinks when it likes", body(history, { tools, thinking: { type: "adaptive" } })],
    ["has a history that refers to its tools", body([...history, found], { tools })],
    ["has no tools", body(history, { tools: [] })],
  ])("a model is told so in words alone where it %s", (_, sent) => {
    expect(rewritten(sent, { kind: "finish", tool: "done" })).toBe(sent);
  });
});
