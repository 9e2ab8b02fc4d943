import { describe, expect, it } from "vitest";
import { toolKindOf } from "../../../src/engine/reading/tool-kind.ts";

describe("by name", () => {
  it.each([
    ["think", "think"],
    ["sequential_thinking", "think"],
    ["get_job_status", "poll"],
    ["wait_for_build", "poll"],
    ["send_email", "send"],
    ["email_search", "other"],
    ["update_order_status", "write"],
    ["update_list", "write"],
    ["find_and_replace", "write"],
    ["createIssue", "write"],
    ["read_file", "other"],
    ["", "other"],
  ])("%s: %s", (tool, kind) => expect(toolKindOf(tool, {})).toBe(kind));
});

describe("by arguments", () => {
  it.each([
    { name: "a service's message with words", tool: "slack_post", args: { channel: "#ops", text: "hi" }, kind: "send" },
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
    {
      name: "an editor that only looks",
      tool: "str_replace_editor",
      args: { command: "view", path: "a" },
      kind: "other",
    },
    { name: "a process that is asked how it is", tool: "process", args: { action: "poll" }, kind: "poll" },
  ])("$name: $kind", ({ tool, args, kind }) => expect(toolKindOf(tool, args)).toBe(kind));
});

describe("by shell command", () => {
  it.each([
    ["sleep 30", "poll"],
    ["sed -i s/a/b/ x", "write"],
    ["echo hi > a.txt", "write"],
    ["git checkout main", "write"],
    ["cat a.txt 2>/dev/null", "other"],
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
