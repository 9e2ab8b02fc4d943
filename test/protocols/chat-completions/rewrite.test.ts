import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { rewrite, said } from "./support.ts";

const note = (step: number, text: string): Edit => ({ kind: "note", step, text });
const preamble = (text: string): Edit => ({ kind: "preamble", text });

it("a preamble leaves a longer history the same bytes up to where the shorter one ended", () => {
  const message = fc.record({
    role: fc.constantFrom("system", "developer", "user", "assistant"),
    content: fc.oneof(fc.string({ unit: "binary" }), fc.constant(null)),
  });
  const some = fc.array(message, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(some, some, (messages, more) => {
      const shorter = [...messages, said("a")];
      const one = rewrite(JSON.stringify({ messages: shorter }), [preamble("\u0001unlikely")]);
      const other = rewrite(JSON.stringify({ messages: [...shorter, ...more] }), [preamble("\u0001unlikely")]);
      expect(other.startsWith(one.slice(0, -2))).toBe(true);
    }),
  );
});

describe("for any body", () => {
  const content = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constant(null),
    fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
  );

  const space = fc.constantFrom(0, 1, "\t");

  it("a note is one insertion, every byte around it as it was, and moves no step", () => {
    const talk = fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content });
    fc.assert(
      fc.property(fc.array(talk, { minLength: 1, maxLength: 6 }), space, fc.nat(3), (messages, indent, at) => {
        const body = JSON.stringify({ seed: 1, messages, "2": 3 }, null, indent);
        const changed = rewrite(body, [note(at, 'N"\n')]);
        const isKnown = messages.filter(({ role }) => role === "assistant").length > at;
        expect(changed.length > body.length).toBe(isKnown);
        if (!body.includes("null")) expect(sharedEnds(body, changed)).toBeGreaterThanOrEqual(body.length);
        const count = (sent: string) => chatCompletions.parse(sent)?.conversation.steps.length;
        expect(count(changed)).toBe(count(body));
      }),
    );
  });
});

function sharedEnds(one: string, other: string): number {
  let front = 0;
  while (front < one.length && one[front] === other[front]) front += 1;
  let back = 0;
  while (back < one.length && one.at(-1 - back) === other.at(-1 - back)) back += 1;
  return front + back;
}
