import { describe, expect, it } from "vitest";
import { actionTypeOf } from "../../src/goal-judge/action-type.ts";
import { call } from "../support/builders/steps.ts";
import { standardPlanning } from "./plan.ts";

const typeOf = (tool: string, args: object, after = "The page.", before = "The page.") =>
  actionTypeOf(call(tool, args, after), { shown: after, before }, standardPlanning);

describe("the type of an action", () => {
  it.each([
    // browser-use
    {
      tool: "click_element_by_index",
      args: { index: 3 },
      after: "[3]<input type=checkbox checked />",
      type: "checkbox",
    },
    { tool: "click_element_by_index", args: { index: 3 }, after: 'A dialog "Add user" is open', type: "dialog" },
    { tool: "input_text", args: { index: 3, text: "Oslo" }, type: "text" },
    { tool: "select_dropdown_option", args: { index: 3, text: "Two" }, type: "menu" },
    { tool: "get_dropdown_options", args: { index: 3 }, type: "look" },
    { tool: "open_tab", args: { url: "https://example.com" }, type: "window" },
    { tool: "click", args: { index: 3 }, type: "other" },
    { tool: "go_back", args: {}, type: "other" },
    // Playwright MCP
    { tool: "browser_snapshot", args: {}, type: "look" },
    { tool: "browser_click", args: { element: "Accept terms checkbox", ref: "e5" }, type: "checkbox" },
    { tool: "browser_click", args: { element: "New", ref: "e5" }, after: "- dialog [ref=e9]:", type: "dialog" },
    {
      tool: "browser_click",
      args: { element: "File", ref: "e5" },
      after: "- menu [ref=e9]:\n  - menuitem Save",
      type: "menu",
    },
    { tool: "browser_type", args: { element: "Name", text: "Ann" }, type: "text" },
    { tool: "browser_fill_form", args: { fields: [] }, type: "text" },
    { tool: "browser_select_option", args: { element: "Size", values: ["L"] }, type: "menu" },
    { tool: "browser_click", args: { element: "Help" }, after: "Opened a new tab: Help", type: "window" },
    // computer-use
    { tool: "computer", args: { action: "screenshot" }, type: "look" },
    { tool: "computer", args: { action: "type", text: "Ann" }, type: "text" },
    { tool: "computer", args: { action: "right_click", coordinate: [3, 4] }, type: "menu" },
    {
      tool: "computer",
      args: { action: "left_click", coordinate: [3, 4] },
      after: "A popup appeared.",
      type: "dialog",
    },
    { tool: "computer", args: { action: "left_click", coordinate: [3, 4] }, type: "other" },
    // Windows
    { tool: "State-Tool", args: {}, type: "look" },
    { tool: "Type-Tool", args: { text: "Ann" }, type: "text" },
    { tool: "Launch-Tool", args: { name: "notepad" }, type: "window" },
    { tool: "Click-Tool", args: { loc: [3, 4] }, after: "メニュー「ファイル」が開きました", type: "menu" },
    { tool: "Click-Tool", args: { name: "CheckBox Wrap lines" }, type: "checkbox" },
  ])("of $tool $args is $type", ({ tool, args, after, type }) => {
    expect(typeOf(tool, args, after)).toBe(type);
  });

  it("goes by what is new in what came back", () => {
    const dialog = 'The dialog "Add user" is open.';
    expect(typeOf("click", { index: 1 }, dialog, "The page.")).toBe("dialog");
    expect(typeOf("click", { index: 1 }, dialog, dialog)).toBe("other");
  });

  it("is what the policy's own rules say first", () => {
    const actions = [{ type: "window", tool: ["go"], args: ["cellar"] }] as const;
    const planning = { ...standardPlanning, actions };
    expect(actionTypeOf(call("go", { door: "cellar" }), { shown: "Dark.", before: "" }, planning)).toBe("window");
    expect(actionTypeOf(call("go", { door: "attic" }), { shown: "Dust.", before: "" }, planning)).toBe("other");
  });
});
