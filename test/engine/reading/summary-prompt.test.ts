import { describe, expect, it } from "vitest";
import { asksForCompaction } from "../../../src/engine/reading/speech.ts";

describe("a harness asks for a summary in the history's place", () => {
  it.each([
    "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\nYour task is to create a detailed summary of the conversation so far.",
    "Summarize our work for a handoff. Never use a tool for that.",
    "请总结到目前为止的对话,不要调用任何工具。",
  ])("%s", (text) => expect(asksForCompaction(text, true)).toBe(true));

  it("without tools on offer it need not forbid them", () => {
    expect(asksForCompaction("You are performing a context checkpoint compaction. Create a handoff.", false)).toBe(
      true,
    );
  });
});

describe("a person asks for something else", () => {
  it.each([
    "Summarize the report and send it to Ana.",
    "Do not use the tool for that file.",
    "Make the layout more compact.",
  ])("%s", (text) => expect(asksForCompaction(text, true)).toBe(false));
});
