import { describe, expect, it } from "vitest";
import { presetNamed } from "../../../src/policy/policy.ts";
import { mergeHistory } from "../../../src/session/session.ts";
import { judgeWith } from "../../support/builders/detection.ts";
import { call, conversation } from "../../support/builders/steps.ts";

/** Deeper than a canonical form is written. */
const nested = (depth: number, innermost: string) => `${'{"a":'.repeat(depth)}${innermost}${"}".repeat(depth)}`;

describe("calls of one request", () => {
  const policy = presetNamed("duplicate-calls");
  const rungAfter = (args: readonly string[]) => {
    const steps = args.map((text) => call("message", text, "sent"));
    return mergeHistory(undefined, conversation(steps), judgeWith(policy && { policy })).now?.intervention.rung;
  };

  it("are the same with their keys in another order, however deep they lie, and others with other long numbers", () => {
    const deep = ['{"b":1,"c":2}', '{"c":2,"b":1}', '{"b":1,"c":2}'].map((inner) => nested(150, inner));
    expect(rungAfter(deep)).toBe("short-circuit");
    expect(rungAfter(["1", "2", "3"].map((last) => `{"n":1234567890123456789${last}}`))).toBeUndefined();
  });

  it("calls of other tools with equal arguments are other calls", () => {
    const steps = ["message", "check", "message"].map((tool) => call(tool, { id: 1 }, "done"));
    expect(mergeHistory(undefined, conversation(steps), judgeWith(policy && { policy })).now).toBeUndefined();
  });
});
