import { readFileSync } from "node:fs";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { editedParams, requestFromPrompt } from "../../src/ai-sdk/prompt.ts";

const call = (id: string) => ({ type: "tool-call", toolCallId: id, toolName: "search", input: { q: "x" } }) as const;
const result = (id: string, output: LanguageModelV3ToolResultOutput) =>
  ({ type: "tool-result", toolCallId: id, toolName: "search", output }) as const;
const user: LanguageModelV3Prompt[number] = { role: "user", content: [{ type: "text", text: "Go." }] };
const schema = { type: "object", properties: {} } as const;

function paramsWith(...prompt: LanguageModelV3Prompt): LanguageModelV3CallOptions {
  return {
    prompt,
    tools: [
      { type: "function", name: "search", inputSchema: schema },
      { type: "function", name: "done", inputSchema: schema },
      { type: "provider", id: "p.web", name: "web", args: {} },
    ],
  };
}

function noted(params: LanguageModelV3CallOptions): LanguageModelV3Prompt {
  const sent = requestFromPrompt(params, "m");
  const messages = sent.messages.map((message, at) =>
    at === sent.messages.length - 1
      ? { ...message, content: message.content ? `${message.content}\n\nNote.` : "Note." }
      : message,
  );
  return editedParams(params, sent, { ...sent, messages }).prompt;
}

interface Given {
  readonly output: LanguageModelV3ToolResultOutput;
  readonly read: string;
  readonly noted: LanguageModelV3ToolResultOutput;
}
const outputs: readonly Given[] = JSON.parse(readFileSync("test/fixtures/ai-sdk/tool-outputs.json", "utf8"));

describe("a prompt of the AI SDK", () => {
  it.each(outputs)("is read and noted where a tool gave $output.type", ({ output, read, noted: expected }) => {
    const prompt = paramsWith(
      user,
      { role: "assistant", content: [call("a"), call("b")] },
      { role: "tool", content: [result("a", { type: "text", value: "Other." }), result("b", output)] },
    );
    expect(requestFromPrompt(prompt, "m").messages.map(({ content }) => content)).toEqual(["Go.", "", "Other.", read]);
    expect(noted(prompt).at(-1)).toEqual({
      role: "tool",
      content: [result("a", { type: "text", value: "Other." }), result("b", expected)],
    });
  });

  it("takes new messages where they belong, though one message of it is several there", () => {
    const params = paramsWith(
      user,
      { role: "assistant", content: [call("a"), call("b")] },
      { role: "tool", content: [result("a", { type: "text", value: "1" }), result("b", { type: "text", value: "2" })] },
      { role: "assistant", content: [{ type: "text", text: "Hm." }] },
    );
    const sent = requestFromPrompt(params, "m");
    const messages = [
      { role: "system", content: "First." } as const,
      ...sent.messages,
      { role: "user", content: "Note." } as const,
    ];
    const { prompt } = editedParams(params, sent, { ...sent, messages });
    expect(prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  });

  it("is forced to one tool, or to none", () => {
    const params = paramsWith(user);
    const sent = requestFromPrompt(params, "m");
    const named = { type: "function", function: { name: "done" } } as const;
    const only = editedParams(params, sent, { ...sent, tools: (sent.tools ?? []).slice(1), tool_choice: named });
    expect(only.toolChoice).toEqual({ type: "tool", toolName: "done" });
    expect(only.tools?.map(({ name }) => name)).toEqual(["done", "web"]);
    const none = editedParams(params, sent, { ...sent, tool_choice: "none" });
    expect(none.toolChoice).toEqual({ type: "none" });
  });
});
