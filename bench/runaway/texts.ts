import { existsSync } from "node:fs";
import { join } from "node:path";
import { readConversations } from "../../src/cli/replay.ts";

/** One text that a model wrote as one stream: what it said, what it thought, or one call's arguments. */
export interface Written {
  readonly id: string;
  readonly what: "content" | "reasoning" | "arguments";
  readonly text: string;
}

/** All that models wrote in the recorded sessions; undefined: there are none here. */
export async function recordedTexts(data: string): Promise<readonly Written[] | undefined> {
  const file = join(data, "trajectories", "dev.jsonl.gz");
  return existsSync(file) ? textsOf(file) : undefined;
}

/** The cases' texts lie in the repository. */
export function caseTexts(): Promise<readonly Written[]> {
  return textsOf("bench/loopbench/data/cases.jsonl");
}

async function textsOf(file: string): Promise<readonly Written[]> {
  const found: Written[] = [];
  for await (const { id, record } of readConversations(file, process.stdin)) {
    for (const message of listIn(record, "messages")) {
      if (fieldOf(message, "role") === "assistant") found.push(...writtenIn(id, message));
    }
  }
  return found;
}

function writtenIn(id: string, message: unknown): readonly Written[] {
  const written: Written[] = [];
  const take = (what: Written["what"], value: unknown): void => {
    if (typeof value === "string" && value !== "") written.push({ id, what, text: value });
    else if (Array.isArray(value)) for (const part of value) take(what, fieldOf(part, "text"));
  };
  take("content", fieldOf(message, "content"));
  take("reasoning", fieldOf(message, "reasoning_content"));
  for (const call of listIn(message, "tool_calls")) take("arguments", fieldOf(fieldOf(call, "function"), "arguments"));
  return written;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}
