import { describe, expect, it } from "vitest";
import { seal, unseal } from "../../src/text/seal.ts";

describe("a sealed text", () => {
  it.each(["", "plain", "箱根 — 😀", "x".repeat(100_000)])("opens with its key alone (%#)", (text) => {
    const sealed = seal("key", text);
    expect(unseal("key", sealed)).toBe(text);
    expect(unseal("another key", sealed)).toBeUndefined();
    if (text !== "") expect(sealed).not.toContain(text.slice(0, 20));
  });

  it("is the same for the same text under the same key, and another one under another", () => {
    expect(seal("key", "text")).toBe(seal("key", "text"));
    expect(seal("key", "text")).not.toBe(seal("key 2", "text"));
  });

  it.each(["", "AAAA", "no base64 !", seal("key", "text").slice(0, -4), `A${seal("key", "text").slice(1)}`])(
    "does not open once it was changed or cut (%#)",
    (sealed) => expect(unseal("key", sealed)).toBeUndefined(),
  );
});
