import { describe, expect, it } from "vitest";
import { actionTypeOf, onlyLooks, reversalCall } from "../../src/judge/actions.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import { ask, call, together } from "../support/builders/steps.ts";

const usual = { actions: [] };
const typeOf = (tool: string, args: object, after = "The page.", before = "The page.") =>
  actionTypeOf(call(tool, args, after), call("open", {}, before), usual);

describe("the type of an action", () => {
  it.each([
    { tool: "browser_click", args: { element: "New", ref: "e5" }, after: "- dialog [ref=e9]:", type: "dialog" },
    { tool: "computer", args: { action: "type", text: "Ann" }, type: "text" },
    { tool: "Click-Tool", args: { loc: [3, 4] }, after: "メニュー「ファイル」が開きました", type: "menu" },
  ])("of $tool $args is $type", ({ tool, args, after, type }) => {
    expect(typeOf(tool, args, after)).toBe(type);
  });

  it("goes by what is new in what came back", () => {
    const dialog = 'The dialog "Add user" is open.';
    expect(typeOf("click", { index: 1 }, dialog, "The page.")).toBe("dialog");
    expect(typeOf("click", { index: 1 }, dialog, dialog)).toBe("other");
  });

  it("is what the policy's own rules say first, and that of the action beside a look", () => {
    const actions = [
      { type: "window", tool: ["go"], args: ["cellar"] },
      { type: "other", undo: "same" },
    ] as const;
    const own = (door: string) => actionTypeOf(call("go", { door }, "Dark."), undefined, { actions });
    expect([own("cellar"), own("attic")]).toEqual(["window", "other"]);
    const both = together(ask("browser_snapshot", {}, "The page."), ask("type", { text: "Ann" }, "Typed."));
    expect([actionTypeOf(both, undefined, usual), onlyLooks(both, undefined, usual)]).toEqual(["text", false]);
    expect(onlyLooks(call("browser_snapshot", {}, "The page."), undefined, usual)).toBe(true);
  });
});

describe("the call that undoes an action", () => {
  const click = call("click", { index: 5, element: "New" }, "The page.");

  it.each([
    { name: "the same once more", undo: "same", undone: { tool: "click", args: click.calls[0]?.args } },
    {
      name: "another one with arguments of the action",
      undo: { tool: "input_text", args: { index: "$index", text: "" } },
      undone: { tool: "input_text", args: '{"index":5,"text":""}' },
    },
    { name: "none, where it is inherited", undo: { tool: "x", args: { y: "$toString" } }, undone: undefined },
  ] as const)("is $name", ({ undo, undone }) =>
    expect(reversalCall(click, "menu", [{ type: "menu", undo }])).toEqual(undone),
  );

  it("is none for several actions at once, for free text that has no arguments, and for another type", () => {
    const same = [{ type: "other", undo: "same" }] as const;
    expect(reversalCall(together(ask("click", {}, "a"), ask("click", {}, "b")), "other", same)).toBeUndefined();
    const free = call("click", "New", "The page.");
    expect(
      reversalCall(free, "other", [{ type: "other", undo: { tool: "x", args: { y: "$index" } } }]),
    ).toBeUndefined();
    expect(reversalCall(free, "other", same)).toEqual({ tool: "click", args: "New" });
    expect(reversalCall(free, "menu", same)).toBeUndefined();
  });
});

describe("a policy with a judge", () => {
  it.each([
    { judge: { every: 0 }, error: "at least 1" },
    { judge: { wait: 500, model: "cheap" }, error: "waits for the server's judge" },
    { extends: "default", judge: { every: 4 }, error: 'policy.judge.asks must be one of "goal", "doubt"' },
  ])("is refused where it says $judge", ({ error, extends: base = "local-planning", judge }) =>
    expect(() => policyFrom({ extends: base, judge })).toThrow(error),
  );
});
