import fc from "fast-check";
import { expect } from "vitest";
import type { Protocol } from "../../../src/protocols/protocols.ts";

const encoder = new TextEncoder();

/** Reads, changes and answers a request, as far as it can be read: nothing may throw, and its steps stay whatever is added to it. */
export function exercise(protocol: Protocol, sent: string): void {
  protocol.recognises(JSON.parse(sent));
  [...protocol.delta.newestCallIds(protocol.delta.comparable(encoder.encode(sent)))].forEach(String);
  const parsed = protocol.parse(sent);
  if (parsed === undefined) return;
  const changed = protocol.rewrite(parsed, [
    { kind: "note", step: 0, text: "n" },
    { kind: "note", step: 1, text: "n" },
    { kind: "preamble", text: "p" },
    { kind: "finish", tool: "done" },
  ]);
  const again = protocol.parse(changed)?.conversation.steps;
  expect(again?.map(({ calls }) => calls.length)).toEqual(parsed.conversation.steps.map(({ calls }) => calls.length));
  for (const doneTool of ["done", undefined])
    protocol.reply(parsed, { text: "over", doneTool }, { id: "1", created: 1 });
}

/** Any value, and those that a format means something by. */
export const anythingOr = (...words: readonly string[]) =>
  fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"role":"user"}}'), "", null, -1, ...words),
  );
