import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { ParsedRequest, PreviousTurn } from "../../../src/protocols/protocol.ts";
import { ask, result, text, user } from "./support.ts";

const thread = { type: "continue", previous_message_id: "msg_7" };
const turn: PreviousTurn = { calls: [{ id: "toolu_a", tool: "bash", args: '{"command":"ls"}' }], text: "I look." };
const blocks = [result("toolu_a", "notes.txt"), text("Mind the date.")];
const sent = [user(...blocks)];

function continued(previous: PreviousTurn, task = "Look."): ParsedRequest {
  const request = ask(sent, { thread, tools: [] }).continuing?.(previous, task);
  if (request === undefined) throw new Error("it goes on from nothing");
  return request;
}

describe("a request of a thread that the API keeps", () => {
  it("goes on from the upstream's own answer, where its client knows another", () => {
    const request = continued({ ...turn, standIn: { answerId: "msg_8", items: "[]" } });
    expect(JSON.parse(protocol.rewrite(request, []))).toMatchObject({
      thread: { type: "continue", previous_message_id: "msg_8" },
      messages: sent,
    });
  });

  it("tells the upstream what we have said in its place", () => {
    const standIn = ask(sent, { thread }).standIn?.([{ id: "toolu_z", tool: "bash", args: "{}" }], {
      calls: [],
      text: "[unloop] Enough.",
      heard: [],
    });
    const request = continued({
      calls: [],
      text: "[unloop] Enough.",
      standIn: { answerId: "msg_8", items: standIn ?? "" },
    });
    const changed = JSON.parse(protocol.rewrite(request, [{ kind: "note", step: 0, text: "Stop." }]));
    expect(changed.messages).toMatchObject([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_z" }] },
      { role: "assistant", content: [{ type: "text", text: "[unloop] Enough." }] },
      { role: "user", content: [{ content: "notes.txt\n\nStop." }, ...blocks.slice(1)] },
    ]);
    expect(request.conversation.steps).toHaveLength(1);
    expect(JSON.parse(request.standIn?.([], { calls: [], text: "Enough again.", heard: [] }) ?? "")).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Enough again." }] },
    ]);
  });

  it("that carries its history goes on from nothing", () => {
    expect(ask([user(text("Go."))], { thread: { type: "create" } }).continuing).toBeUndefined();
  });
});
