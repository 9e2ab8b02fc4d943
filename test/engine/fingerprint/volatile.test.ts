import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStamps } from "../../../src/engine/fingerprint/volatile.ts";
import { printOf } from "../../support/builders/detection.ts";
import { call } from "../../support/builders/steps.ts";

const UUID = "6f1c2d3e-0000-4000-8000-00000000000";
const actOf = (args: object, tool = "lookup") => printOf(call(tool, args)).callsHash;
const outOf = (text: string) => printOf(call("lookup", {}, text)).outcomesHash;

it.each([
  { name: "a trace id, deep down", a: { q: { traceId: 1 } }, b: { q: { traceId: 2 } } },
  { name: "when it was asked, in seconds", a: { q: "x", requested_at: 1e9 }, b: { q: "x", requested_at: 1e9 + 60 } },
  { name: "what it is for", a: { command: "rm a", description: "x" }, b: { command: "rm a", description: "y" } },
])("arguments that never mean another action: $name", ({ a, b }) => expect(actOf(a)).toBe(actOf(b)));

describe("arguments that do", () => {
  it.each([
    { name: "a UUID", a: { id: `${UUID}1` }, b: { id: `${UUID}2` } },
    { name: "a Slack message", a: { ts: "1700000000.000100" }, b: { ts: "1700000000.000200" } },
    { name: "a thought where there is nothing else", a: { thought: "one" }, b: { thought: "two" } },
  ])("$name", ({ a, b }) => expect(actOf(a)).not.toBe(actOf(b)));

  it("a description or comment that is itself what is written", () => {
    const commented = (comment: string) => actOf({ issue: 7, comment }, "add_issue_comment");
    expect(commented("Please rebase.")).not.toBe(commented("Thank you!"));
    const described = (description: string) => actOf({ issue: 7, description }, "update_issue");
    expect(described("short")).not.toBe(described("long"));
  });
});

it.each([
  {
    name: "a shell that tells its process",
    a: "Output: notes.txt\nProcess Group PGID: 22930",
    b: "Output: notes.txt\nProcess Group PGID: 22938",
  },
  { name: "JSON looked up later", a: '{"n":1,"fetched_at":1763370840}', b: '{"n":1,"fetched_at":1763370847}' },
])("outcomes that mean the same: $name", ({ a, b }) => expect(outOf(a)).toBe(outOf(b)));

it.each([
  { name: "another hour of an appointment", a: "free at 10:30", b: "free at 11:30" },
  { name: "how long a clip is", a: '{"audio_duration":3.2}', b: '{"audio_duration":4.1}' },
])("outcomes that tell something new: $name", ({ a, b }) => expect(outOf(a)).not.toBe(outOf(b)));

it("compares the middle of a very long text as it is, and drops stamps at both ends", () => {
  const text = (stamp: string) => `${stamp}\n${"x".repeat(40_000)}\n${stamp}`;
  expect(withoutStamps(text("12:00:01"))).toBe(withoutStamps(text("12:00:02")));
});

it("finds a stamp in a text as it does where all other stamps stand too", () => {
  const all =
    "\u001b[1m 2026-01-02 10:00:00 3 ms pid 7 session_id=ab12 req-99ff run_7a7a message 12ab msg:12ab trace 12ab correlation id 12ab 0xdeadbeef /tmp/tmpabcdef";
  const pieces = fc.constantFrom(
    ..."\u001b[31m|\u001b|10:00|10:00:01|9:30 pm|2026-01-02|2026-01-02T10:00:00Z|Jan 2, 2026 at |mon |may 5 |3 s|3 µs|1.5ms|3 names|pid|pid=|PID 7|session|session id: |request|Req-|run|run_|message|msg|trace|correlation-id |8f3a2b1c|0x|0X1234567|0xdeadbeef|/tmp/|/tmp/tmp|abcdef|12| |\n|:|-|_|x|漢|é".split(
      "|",
    ),
  );
  const texts = fc.array(pieces, { maxLength: 60 }).map((some) => some.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      // No stamp goes on over this, to either side.
      const apart = "\n~~~\n";
      expect(withoutStamps(text) + apart + withoutStamps(all)).toBe(withoutStamps(text + apart + all));
    }),
  );
});
