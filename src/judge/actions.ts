import type { ActionRule, ActionType, JudgeTerms } from "../policy/policy.ts";
import type { Call, Step } from "../step.ts";
import { parseJson } from "../text/parse-json.ts";

type Rules = Pick<JudgeTerms, "actions">;

/** Whether a step only looks, which rules on results have no part in. @param before the step before it */
export function onlyLooks(step: Step, before: Step | undefined, { actions }: Rules): boolean {
  const rules = [...actions, ...standardRules];
  const looks = rules.slice(0, rules.findLastIndex(({ type }) => type === "look") + 1);
  return step.calls.every((call) => typeOf(call, step, before, looks) === "look");
}

/** Of which type a step's action is, by the first rule that fits. What only looks beside an action is no part of it. */
export function actionTypeOf(step: Step, before: Step | undefined, { actions }: Rules): ActionType {
  const rules = [...actions, ...standardRules];
  const acts = step.calls.map((call) => typeOf(call, step, before, rules)).filter((type) => type !== "look");
  return acts.find((type) => type !== "other") ?? acts[0] ?? "look";
}

/** What a step shows: what came back for its calls, and what was told after it where that tells a state. */
export function shownBy({ calls, heard }: Step, isHarness: boolean): string {
  return [...calls.map(({ outcome }) => outcome?.text ?? ""), ...(isHarness ? heard : [])].join("\n");
}

/** Characters of arguments and outcomes that rules are held against. */
const LOOKED_AT = 20_000;

function typeOf({ tool, args }: Call, step: Step, before: Step | undefined, rules: readonly ActionRule[]): ActionType {
  const [inTool, inArgs] = [goalWords(tool), goalWords(args.slice(0, LOOKED_AT))];
  let shown: readonly string[] | undefined;
  const isNew = (phrase: string) => {
    shown ??= [step, before].map((one) => goalWords(one === undefined ? "" : shownBy(one, true).slice(0, LOOKED_AT)));
    return hasPhrase(shown[0] ?? "", phrase) && !hasPhrase(shown[1] ?? "", phrase);
  };
  const fits = (rule: ActionRule) =>
    (rule.tool ?? rule.args ?? rule.outcome) !== undefined &&
    (rule.tool?.some((phrase) => hasPhrase(inTool, phrase)) ?? true) &&
    (rule.args?.some((phrase) => hasPhrase(inArgs, phrase)) ?? true) &&
    (rule.outcome?.some(isNew) ?? true);
  return rules.find(fits)?.type ?? "other";
}

const phrases = (text: string): readonly string[] => text.split("|");
const actors = phrases("computer|computer use|browser action|desktop|ui|mouse");
const clicks = [...phrases("click|tap|press|left click|invoke|select"), ...actors];

const looks = phrases(
  "snapshot|screenshot|state tool|get state|get window|get dropdown options|dropdown options|wait|scroll|hover|extract|extract content|" +
    "extract structured data|console messages|network requests|list windows|get windows|get tree|dump tree|cursor position|zoom",
);

/** For browser-use, Playwright MCP, computer-use and tools of Windows' user interface. */
const standardRules: readonly ActionRule[] = [
  { type: "look", tool: looks },
  { type: "look", tool: actors, args: phrases("screenshot|wait|cursor position|mouse move|zoom|scroll") },
  { type: "text", tool: phrases("type|input|input text|fill|fill form|set text|set value|write text") },
  { type: "text", tool: actors, args: phrases("action type|action input|action fill|type text") },
  { type: "checkbox", tool: phrases("browser check|uncheck|toggle|set checkbox|checkbox") },
  { type: "menu", tool: phrases("select option|select dropdown|select dropdown option|menu|context menu|right click") },
  { type: "menu", tool: actors, args: ["right click"] },
  { type: "window", tool: phrases("launch|launch app|open app|open window|open tab|new tab|start app|app tool") },
  { type: "checkbox", tool: clicks, args: phrases("checkbox|check box|toggle|switch|チェックボックス|复选框") },
  { type: "menu", tool: clicks, args: phrases("menu item|menuitem|menu|メニュー|菜单") },
  { type: "dialog", tool: clicks, outcome: phrases("dialog|alertdialog|modal|popup|message box|ダイアログ|对话框") },
  { type: "checkbox", tool: clicks, outcome: phrases("checked|unchecked|toggled|チェック済み|已选中") },
  { type: "menu", tool: clicks, outcome: phrases("menu|menuitem|listbox|メニュー|菜单") },
  { type: "window", tool: clicks, outcome: phrases("new window|new tab|window opened|新しいウィンドウ|新窗口") },
];

/** The call by which a policy has an action of this type undone; undefined where it has none, or a call cannot say it. */
export function reversalCall(
  action: Step,
  type: string,
  actions: readonly ActionRule[],
): Pick<Call, "tool" | "args"> | undefined {
  const [call, ...others] = action.calls;
  const undo = actions.find((rule) => rule.type === type && rule.undo !== undefined)?.undo;
  if (undo === undefined || call === undefined || others.length > 0) return undefined;
  if (undo === "same") return { tool: call.tool, args: call.args };
  const given = new Map(Object.entries(Object(parseJson(call.args))));
  // `$name` stands for the action's own argument of that name.
  const filled = Object.entries(undo.args).map(([name, value]): readonly [string, unknown] => [
    name,
    typeof value === "string" && value.startsWith("$") ? given.get(value.slice(1)) : value,
  ]);
  if (filled.some(([, value]) => value === undefined)) return undefined;
  return { tool: undo.tool, args: JSON.stringify(Object.fromEntries(filled)) };
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
