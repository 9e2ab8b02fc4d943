import fc from "fast-check";
import { expect, it } from "vitest";
import { type Fingerprint, fingerprintCodec, fingerprintPacking } from "../../../src/engine/engine.ts";
import { ledgerAfter } from "../../support/builders/detection.ts";
import { ask, call, conversation, heard, said, together } from "../../support/builders/steps.ts";

const stored = (one: Fingerprint) =>
  fingerprintPacking.unpack(JSON.parse(JSON.stringify(fingerprintPacking.pack(one))));

it.each([
  ["a call", call("read", { path: "a.ts" }, "some text of 12 lines")],
  ["a call without an outcome", together(ask("read", { path: "a.ts" }))],
  ["a call that failed", call("read", { path: "a.ts" }, "Error: no such file")],
  ["calls together", together(ask("read", { path: "a" }, "1"), ask("write", { path: "b", text: "c" }, "2"))],
  ["words without a call", said("I shall look at the second page now.")],
  ["words beside a call", { ...call("read", {}, ""), text: "First the beginning." }],
])("%s is unpacked as it was packed", (_, step) => {
  const { window } = ledgerAfter(conversation([step, heard("Yes, 3 of them."), said("Done.")]));
  expect(window.length).toBeGreaterThan(0);
  for (const one of window) expect(stored(one)).toEqual(fingerprintCodec.decode(fingerprintCodec.encode(one)));
  for (const one of window) expect(stored(one)).toEqual(one);
});

it("any sketch is unpacked as it was packed", () => {
  const character = fc.constantFrom(..."A9z+/", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".");
  const [one] = ledgerAfter(conversation([call("read", { path: "a" }, "text")])).window;
  if (one === undefined) throw new Error("It has a step.");
  const [first] = one.calls;
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 32, maxLength: 32 }), (similarity) => {
      const calls = first === undefined ? [] : [{ ...first, similarity }];
      expect(stored({ ...one, calls })).toEqual({ ...one, calls });
    }),
  );
});
