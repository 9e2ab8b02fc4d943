import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { gemini } from "../../../src/protocols/gemini/gemini.ts";
import { messages } from "../../../src/protocols/messages/messages.ts";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import type { Protocol } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

/** A whole answer of each format with these numbers of tokens, as JSON. */
const formats: readonly { readonly format: Protocol; readonly told: (input: string, output: string) => string }[] = [
  {
    format: chatCompletions,
    told: (input, output) =>
      `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":${input},"completion_tokens":${output},"prompt_tokens_details":{"cached_tokens":${input}}}}`,
  },
  {
    format: responses,
    told: (input, output) =>
      `{"id":"r","object":"response","status":"completed","output":[],"usage":{"input_tokens":${input},"output_tokens":${output}}}`,
  },
  {
    format: messages,
    told: (input, output) =>
      `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":${input},"output_tokens":${output},"cache_read_input_tokens":${input === "7" ? 0 : input}}}`,
  },
  {
    format: gemini,
    told: (input, output) =>
      `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${output},"thoughtsTokenCount":${output === "3" ? 0 : output}}}`,
  },
  {
    format: ollama,
    told: (input, output) =>
      `{"message":{"content":"x"},"done":true,"prompt_eval_count":${input},"eval_count":${output}}`,
  },
];

describe.each(formats.map(({ format, told }) => ({ name: format.name, format, told })))(
  "the usage that an answer of $name tells",
  ({ format, told }) => {
    it("is what it counts", () =>
      expect(wholeAnswer(format.decoder(), told("7", "3"))?.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 }));

    it.each(["-1", "-1e18", "1e300", "1e999", "4e9"])(
      "is none where it counts %s, which would undo a budget",
      (number) => {
        const answer = wholeAnswer(format.decoder(), told(number, number));
        expect(answer).toBeDefined();
        expect(answer?.usage).toBeUndefined();
      },
    );
  },
);
