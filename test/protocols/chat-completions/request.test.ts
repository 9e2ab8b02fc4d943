import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { called, result, rewrite, steps } from "./support.ts";

describe("size", () => {
  it("bears a thousand parallel calls with one id, and with none", () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `${index}`);
    const answers = ids.map((text) => result("same", text));
    const [step] = steps(called(...ids.map((id): [string, string] => ["same", `t${id}`])), ...answers);
    expect(step?.calls.map(({ outcome }) => outcome?.text)).toEqual(ids);
    const [unnamed] = steps(called(...ids.map((id): [string, string] => ["", `t${id}`])), ...answers);
    expect(unnamed?.calls.map(({ outcome }) => outcome?.text)).toEqual(ids);
  });

  it.each([
    { name: "content", message: '{"role":"user","content":§}' },
    { name: "arguments", message: '{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":§}}]}' },
    { name: "an unknown field", message: '{"role":"user","content":"x","y":§}' },
  ])("bears deep nesting in $name", ({ message }) => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const text = `{"messages":[${message.replace("§", deep)}]}`;
    expect(chatCompletions.parse(text)?.conversation).toBeDefined();
    expect(() => JSON.parse(rewrite(text, [{ kind: "finish", tool: undefined }]))).not.toThrow();
  });
});
