import { describe, expect, it } from "vitest";
import { presetNamed } from "../../../src/policy/policy.ts";
import { mergeHistory } from "../../../src/session/session.ts";
import { judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, said } from "../../support/builders/steps.ts";

/** Deeper than a canonical form is written. */
const nested = (depth: number, innermost: string) => `${'{"a":'.repeat(depth)}${innermost}${"}".repeat(depth)}`;

describe("calls of one request", () => {
  const policy = presetNamed("duplicate-calls");
  const rungAfter = (args: readonly string[]) => {
    const steps = args.map((text) => call("message", text, "sent"));
    return mergeHistory(undefined, conversation(steps), judgeWith(policy && { policy })).now?.intervention.rung;
  };

  it.each([
    {
      name: "with their keys in another order, however deep they lie",
      args: [nested(150, '{"b":1,"c":2}'), nested(150, '{"c":2,"b":1}'), nested(150, '{"b":1,"c":2}')],
      rung: "short-circuit",
    },
    {
      name: "with other values under equal keys, of equal length",
      args: ['{"n":1}', '{"n":2}', '{"n":3}'],
      rung: undefined,
    },
    {
      name: "with numbers too long for a double",
      args: ['{"n":12345678901234567891}', '{"n":12345678901234567892}', '{"n":12345678901234567893}'],
      rung: undefined,
    },
  ])("$name", ({ args, rung }) => expect(rungAfter(args)).toBe(rung));

  it("calls of other tools with equal arguments are other calls", () => {
    const steps = ["message", "check", "message"].map((tool) => call(tool, { id: 1 }, "done"));
    expect(mergeHistory(undefined, conversation(steps), judgeWith(policy && { policy })).now).toBeUndefined();
  });

  it("keep the outcome that each has", () => {
    const steps = ["page 1", "page 2", "page 3"].map((page) => call("read", { id: 1 }, page));
    const { tip } = mergeHistory(undefined, conversation([...steps, said("Done.")]), judgeWith());
    const hashes = tip.window.flatMap(({ calls }) => calls.map(({ outcome }) => outcome?.hash));
    expect(new Set(hashes).size).toBe(3);
  });
});
