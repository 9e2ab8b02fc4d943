import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { chatCompletions } from "../../src/protocols/chat-completions/chat-completions.ts";
import { gemini } from "../../src/protocols/gemini/gemini.ts";
import { ollama } from "../../src/protocols/ollama/ollama.ts";
import { answerReader } from "../../src/protocols/protocols.ts";

interface Row {
  readonly format: "chat-completions" | "gemini" | "ollama";
  readonly name: string;
  readonly contentType: string;
  readonly answer: string;
  /** What is read of it; `null`: it is none. */
  readonly is: object | null;
}

const formats = { "chat-completions": chatCompletions, gemini, ollama };
const rows: readonly Row[] = parse(readFileSync("test/fixtures/protocols/answers.yaml", "utf8"));

it.each(rows)("$format: $name", ({ format, contentType, answer, is }) => {
  const reader = answerReader(formats[format], contentType, undefined, "/v1beta/models/m:generateContent");
  reader.push(new TextEncoder().encode(answer));
  expect(JSON.parse(JSON.stringify(reader.end() ?? null))).toEqual(is);
});
