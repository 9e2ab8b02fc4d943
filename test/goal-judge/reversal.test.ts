import { describe, expect, it } from "vitest";
import { reversalCall } from "../../src/goal-judge/goal-judge.ts";
import { policyFrom, type Reversal } from "../../src/policy/policy.ts";
import { ask, call, together } from "../support/builders/steps.ts";

const click = call("click", { index: 5, element: "New" }, "The page.");

describe("the call that undoes an action", () => {
  it.each<{ name: string; reversal: Reversal; undone: object | undefined }>([
    { name: "the same once more", reversal: "same", undone: { tool: "click", args: click.calls[0]?.args } },
    {
      name: "another one",
      reversal: { tool: "press_key", args: { key: "Escape" } },
      undone: { tool: "press_key", args: '{"key":"Escape"}' },
    },
    {
      name: "another one with arguments of the action",
      reversal: { tool: "input_text", args: { index: "$index", text: "" } },
      undone: { tool: "input_text", args: '{"index":5,"text":""}' },
    },
    {
      name: "none, where the action lacks an argument",
      reversal: { tool: "x", args: { y: "$ref" } },
      undone: undefined,
    },
    { name: "none, where it is inherited", reversal: { tool: "x", args: { y: "$toString" } }, undone: undefined },
  ])("is $name", ({ reversal, undone }) => expect(reversalCall(click, reversal)).toEqual(undone));

  it("is none for several actions at once, and none that asks for arguments of free text", () => {
    expect(reversalCall(together(ask("click", {}, "a"), ask("click", {}, "b")), "same")).toBeUndefined();
    const free = call("click", "New", "The page.");
    expect(reversalCall(free, { tool: "x", args: { y: "$index" } })).toBeUndefined();
    expect(reversalCall(free, "same")).toEqual({ tool: "click", args: "New" });
  });
});

describe("a policy that plans", () => {
  it.each([
    { planning: { actions: [{ type: "chekbox" }] }, error: 'did you mean "checkbox"?' },
    { planning: { actions: [{ tool: ["x"] }] }, error: 'must also say "type"' },
    { planning: { actions: { type: "menu" } }, error: "must be a list in brackets" },
    { planning: { reversals: { checkbox: "again" } }, error: 'must be "same" or set out' },
    { planning: { reversals: { menu: { tool: "x" } } }, error: 'must also say "args"' },
    {
      planning: { reversals: { menu: { tool: "x", args: { y: [] } } } },
      error: "must be a text, a number, true or false",
    },
    { planning: { sameState: 1 }, error: "at least 2" },
    { judge: { every: 0 }, error: "at least 1" },
    { judge: { excerpts: "all" }, error: '"redacted", "off"' },
  ])("is refused where it says $planning $judge", ({ error, ...said }) =>
    expect(() => policyFrom({ extends: "local-planning", ...said })).toThrow(error),
  );

  it("must say all of it, where it extends a policy that does not plan", () => {
    expect(() => policyFrom({ planning: { sameState: 4 } })).toThrow('must also say "task"');
    expect(() => policyFrom({ judge: { every: 4 } })).toThrow('must also say "maxCalls"');
    expect(policyFrom({ extends: ["default", "local-planning"], planning: { sameState: 4 } }).planning).toMatchObject({
      ...{ sameState: 4, falls: 3 },
    });
  });
});
