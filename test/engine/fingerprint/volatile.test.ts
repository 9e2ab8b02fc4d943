import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStamps } from "../../../src/engine/fingerprint/volatile.ts";
import { printOf } from "../../support/builders/detection.ts";
import { call } from "../../support/builders/steps.ts";

const UUID = "6f1c2d3e-0000-4000-8000-00000000000";
const actOf = (args: object, tool = "lookup") => printOf(call(tool, args)).callsHash;
const outOf = (text: string) => printOf(call("lookup", {}, text)).outcomesHash;

describe("arguments that never mean another action", () => {
  it.each([
    { name: "a request id", a: { q: 1, request_id: "a" }, b: { q: 1, request_id: "b" } },
    { name: "a trace id, deep down", a: { q: { traceId: 1 } }, b: { q: { traceId: 2 } } },
    { name: "a time stamp in seconds", a: { q: 1, timestamp: 1_700_000_000 }, b: { q: 1, timestamp: 1_700_000_007 } },
    { name: "why it is done", a: { q: 1, reason: "first" }, b: { q: 1, reason: "again" } },
    {
      name: "what a command is for",
      a: { command: "rm a", description: "x" },
      b: { command: "rm a", description: "y" },
    },
  ])("$name", ({ a, b }) => expect(actOf(a)).toBe(actOf(b)));
});

describe("arguments that do", () => {
  it.each([
    { name: "a cursor", a: { cursor: "abc1" }, b: { cursor: "abc2" } },
    { name: "a UUID", a: { id: `${UUID}1` }, b: { id: `${UUID}2` } },
    { name: "a line range", a: { path: "a", range: [1, 50] }, b: { path: "a", range: [51, 100] } },
    { name: "a day", a: { date: "2026-01-02" }, b: { date: "2026-01-03" } },
    { name: "a position in a film", a: { video: "v", timestamp: 12.5 }, b: { video: "v", timestamp: 90 } },
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

describe("outcomes that mean the same", () => {
  it.each([
    { name: "another clock time", a: "12:00:01 listening", b: "12:00:09 listening" },
    { name: "another duration", a: "3 tests passed in 1.24s", b: "3 tests passed in 1.31s" },
    { name: "colours", a: "\u001b[31mfailed\u001b[0m", b: "failed" },
    {
      name: "a shell that tells its process",
      a: "Output: notes.txt\nProcess Group PGID: 22930",
      b: "Output: notes.txt\nProcess Group PGID: 22938",
    },
    { name: "JSON looked up later", a: '{"n":1,"fetched_at":1763370840}', b: '{"n":1,"fetched_at":1763370847}' },
  ])("$name", ({ a, b }) => expect(outOf(a)).toBe(outOf(b)));
});

describe("outcomes that tell something new", () => {
  it.each([
    { name: "another row count", a: "12 rows", b: "13 rows" },
    { name: "another hour of an appointment", a: "free at 10:30", b: "free at 11:30" },
    { name: "another id of what was looked up", a: '{"id":1,"n":1}', b: '{"id":2,"n":1}' },
    { name: "less time left", a: "running, 5 minutes left", b: "running, 3 minutes left" },
  ])("$name", ({ a, b }) => expect(outOf(a)).not.toBe(outOf(b)));
});

describe("the report of a change", () => {
  const outOfWrite = (text: string, args: object = { title: "x" }) =>
    printOf(call("create_issue", args, text)).outcomesHash;

  it.each([{ name: "has an id of its own", a: '{"id":"a1","state":"open"}', b: '{"id":"b2","state":"open"}' }])(
    "$name, which means nothing",
    ({ a, b }) => expect(outOfWrite(a)).toBe(outOfWrite(b)),
  );

  it("means something in all that is no name", () => {
    expect(outOfWrite('{"id":1,"x":1}')).not.toBe(outOfWrite('{"id":1,"x":2}'));
  });
});

it("compares the middle of a very long text as it is, and drops stamps at both ends", () => {
  const text = (stamp: string) => `${stamp}\n${"x".repeat(40_000)}\n${stamp}`;
  expect(withoutStamps(text("12:00:01"))).toBe(withoutStamps(text("12:00:02")));
});

it.each([{ name: "digits", text: "1".repeat(32_000) }])("takes linear time over $name", ({ text }) => {
  // Without bounds these take seconds to hours: the test's own time-out is the judge.
  expect(withoutStamps(text).length).toBeGreaterThan(0);
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
