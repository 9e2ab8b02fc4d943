import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { ask, at, said, text, user } from "./support.ts";

it("a request with a schema of any depth is read", () => {
  const deep = `${'{"type":"OBJECT","properties":{"a":'.repeat(9_000)}{}${"}}".repeat(9_000)}`;
  const body = `{"contents":[{"role":"user","parts":[{"text":"a"}]}],"generationConfig":{"responseSchema":${deep}}}`;
  expect(protocol.parse(body, at())?.format.kind).toBe("schema");
});

describe("what a request adds", () => {
  const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

  it("is not told where the model's last words may go on", () => {
    const open = [user(text("a")), said(text("Here"))];
    const closed = [...open, user(text("b"))];
    const end = (contents: readonly unknown[]) => protocol.delta.endOfMessages(bytes({ contents }), ask(contents));
    expect(end(open)).toBeUndefined();
    expect(end(closed)).toBeGreaterThan(0);
  });
});
