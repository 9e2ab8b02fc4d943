import { describe, expect, it } from "vitest";
import { isGesture, toolKindOf } from "../../../src/engine/reading/tool-kind.ts";

describe("by name", () => {
  it.each([
    ["think", "think"],
    ["sequential_thinking", "think"],
    ["mcp_sequentialThinking", "other"],
    ["get_job_status", "poll"],
    ["wait_for_build", "poll"],
    ["send_email", "send"],
    ["email_search", "other"],
    ["message_list", "other"],
    ["update_order_status", "write"],
    ["get_book", "other"],
    ["update_list", "write"],
    ["list_updates", "other"],
    ["find_and_replace", "write"],
    ["createIssue", "write"],
    ["read_file", "other"],
    ["", "other"],
  ])("%s: %s", (tool, kind) => expect(toolKindOf(tool, {})).toBe(kind));
});

describe("by arguments", () => {
  it.each([
    { name: "a service's message with words", tool: "slack_post", args: { channel: "#ops", text: "hi" }, kind: "send" },
    { name: "a message of another service", tool: "feishu_message", args: { content: "hi" }, kind: "send" },
    { name: "a message that is looked up", tool: "slack_message", args: { ts: "1" }, kind: "other" },
    {
      name: "what is posted to an address on the web",
      tool: "http_post",
      args: { url: "u", body: "b" },
      kind: "other",
    },
    {
      name: "a plan with states",
      tool: "todo_write",
      args: { todos: [{ status: "done" }, { status: "pending" }] },
      kind: "plan",
    },
    { name: "a plan in words", tool: "todo_write", args: { todos: ["a"] }, kind: "write" },
    { name: "an empty line to a running program", tool: "write_stdin", args: { id: 1, chars: "" }, kind: "poll" },
    { name: "text to a running program", tool: "write_stdin", args: { id: 1, chars: "y\n" }, kind: "write" },
    {
      name: "an editor that only looks",
      tool: "str_replace_editor",
      args: { command: "view", path: "a" },
      kind: "other",
    },
    {
      name: "an editor that edits",
      tool: "str_replace_editor",
      args: { command: "str_replace", path: "a" },
      kind: "write",
    },
    { name: "a process that is asked how it is", tool: "process", args: { action: "poll" }, kind: "poll" },
  ])("$name: $kind", ({ tool, args, kind }) => expect(toolKindOf(tool, args)).toBe(kind));
});

describe("by shell command", () => {
  it.each([
    ["sleep 30", "poll"],
    ["ps aux", "poll"],
    ["sed -i s/a/b/ x", "write"],
    ["echo hi > a.txt", "write"],
    ["git checkout main", "write"],
    ["cat a.txt 2>/dev/null", "other"],
    ["npm test 2>&1", "other"],
    ["sleep 5; cat log", "poll"],
    ["echo 1; sleep 5", "other"],
    ["sleep 1; rm lock", "write"],
  ])("%s: %s", (command, kind) => {
    expect(toolKindOf("bash", { command })).toBe(kind);
    expect(toolKindOf("shell", { command: command.split(" ") })).toBe(kind);
  });

  it("takes linear time over a command full of spaces", () => {
    expect(toolKindOf("bash", { command: `sleep 1${" ".repeat(50_000)}!` })).toBe("other");
  });
});

describe("a gesture", () => {
  it.each([
    { tool: "go", args: { direction: "north" }, is: true },
    { tool: "click", args: { index: 3 }, is: true },
    { tool: "sales_of", args: { region: "south" }, is: false },
  ])("$tool $args: $is", ({ tool, args, is }) => expect(isGesture(tool, args)).toBe(is));
});
