import type { ActionRule, ActionType, Planning, Reversal } from "../policy/policy.ts";
import type { Call, Step } from "../step.ts";

/**
 * Of which type a step's action is, by the first rule that fits. What only looks beside an action is no part of it.
 * @param shown what it shows @param before what was shown before it
 */
export function actionTypeOf(
  step: Step,
  { shown, before }: { readonly shown: string; readonly before: string },
  planning: Pick<Planning, "actions">,
): ActionType {
  const outcome = { outcome: goalWords(shown.slice(0, LOOKED_AT)), before: goalWords(before.slice(0, LOOKED_AT)) };
  const rules = [...planning.actions, ...standardRules];
  const types = step.calls.map(({ tool, args }): ActionType => {
    const words = { tool: goalWords(tool), args: goalWords(args.slice(0, LOOKED_AT)), ...outcome };
    return rules.find((rule) => fits(rule, words))?.type ?? "other";
  });
  const acts = types.filter((type) => type !== "look");
  return acts.find((type) => type !== "other") ?? acts[0] ?? "look";
}

/** What came back for all calls of a step, in order. */
export function outcomeTextOf({ calls }: Step): string {
  return calls.map(({ outcome }) => outcome?.text ?? "").join("\n");
}

/** Characters of arguments and outcomes that rules are held against. */
const LOOKED_AT = 20_000;

interface ActionWords {
  readonly tool: string;
  readonly args: string;
  readonly outcome: string;
  readonly before: string;
}

function fits({ tool, args, outcome }: ActionRule, words: ActionWords): boolean {
  const inTool = tool === undefined || tool.some((phrase) => hasPhrase(words.tool, phrase));
  const inArgs = args === undefined || args.some((phrase) => hasPhrase(words.args, phrase));
  const isNew = (phrase: string) => hasPhrase(words.outcome, phrase) && !hasPhrase(words.before, phrase);
  return inTool && inArgs && (outcome === undefined || outcome.some(isNew));
}

const actors = ["computer", "computer use", "browser action", "desktop", "ui", "mouse"];
const clicks = ["click", "tap", "press", "left click", "invoke", "select", ...actors];

/** For browser-use, Playwright MCP, computer-use and tools of Windows' user interface. */
const standardRules: readonly ActionRule[] = [
  {
    type: "look",
    tool: [
      ...[
        "snapshot",
        "screenshot",
        "state tool",
        "get state",
        "get window",
        "get dropdown options",
        "dropdown options",
      ],
      ...["wait", "scroll", "hover", "extract", "extract content", "extract structured data", "console messages"],
      ...["network requests", "list windows", "get windows", "get tree", "dump tree", "cursor position", "zoom"],
    ],
  },
  { type: "look", tool: actors, args: ["screenshot", "wait", "cursor position", "mouse move", "zoom", "scroll"] },
  { type: "text", tool: ["type", "input", "input text", "fill", "fill form", "set text", "set value", "write text"] },
  { type: "text", tool: actors, args: ["action type", "action input", "action fill", "type text"] },
  { type: "checkbox", tool: ["browser check", "uncheck", "toggle", "set checkbox", "checkbox"] },
  {
    type: "menu",
    tool: ["select option", "select dropdown", "select dropdown option", "menu", "context menu", "right click"],
  },
  { type: "menu", tool: actors, args: ["right click"] },
  {
    type: "window",
    tool: ["launch", "launch app", "open app", "open window", "open tab", "new tab", "start app", "app tool"],
  },
  { type: "checkbox", tool: clicks, args: ["checkbox", "check box", "toggle", "switch", "チェックボックス", "复选框"] },
  { type: "menu", tool: clicks, args: ["menu item", "menuitem", "menu", "メニュー", "菜单"] },
  {
    type: "dialog",
    tool: clicks,
    outcome: ["dialog", "alertdialog", "modal", "popup", "message box", "ダイアログ", "对话框"],
  },
  { type: "checkbox", tool: clicks, outcome: ["checked", "unchecked", "toggled", "チェック済み", "已选中"] },
  { type: "menu", tool: clicks, outcome: ["menu", "menuitem", "listbox", "メニュー", "菜单"] },
  { type: "window", tool: clicks, outcome: ["new window", "new tab", "window opened", "新しいウィンドウ", "新窗口"] },
];

/** The call by which a policy has an action undone; undefined where a call cannot say it. */
export function reversalCall(action: Step, reversal: Reversal): Pick<Call, "tool" | "args"> | undefined {
  const call = action.calls[0];
  if (call === undefined || action.calls.length > 1) return undefined;
  if (reversal === "same") return { tool: call.tool, args: call.args };
  const given = argumentsOf(call);
  const args = Object.entries(reversal.args).map(([name, value]) => [name, filled(value, given)] as const);
  if (args.some(([, value]) => value === undefined)) return undefined;
  return { tool: reversal.tool, args: JSON.stringify(Object.fromEntries(args)) };
}

/** `$name` stands for the action's own argument of that name. */
function filled(value: unknown, given: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const name = value.slice(1);
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function argumentsOf({ args }: Call): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Free text has no arguments to name.
    return {};
  }
}

/** A text as its words, in lower case, with a blank around each: `browser_fillForm` is " browser fill form ". */
export function goalWords(text: string): string {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return ` ${apart.replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
}

/** @param words as `wordsIn` gives them */
export function hasPhrase(words: string, phrase: string): boolean {
  // Scripts that put no blanks between words are searched as they are.
  return /^[\x20-\x7e]+$/.test(phrase) ? words.includes(goalWords(phrase)) : words.includes(phrase.toLowerCase());
}
