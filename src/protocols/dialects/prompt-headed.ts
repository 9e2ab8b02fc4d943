import type { Step } from "../../step.ts";
import { containerEnd, isObject, jsonText, parseJson, stringIn } from "../json/json.ts";
import { jsonActions } from "./json-actions.ts";
import { headed } from "./prompt-sections.ts";
import type { ToldPrompt } from "./prompts.ts";

const HISTORY = /history|previous (actions|steps|turns)|(past|executed|completed) (actions|steps)|履歴|历史|歷史/i;
const TASK =
  /\b(task|goal|objective|user (request|instruction|input)|request|instruction|question)\b|タスク|目的|指示|依頼|ユーザー|任务|任務|目标|用户/i;
const STATE =
  /\b(page|screen|state|dom|html|elements?|observation|environment)\b|ページ|画面|状態|要素|页面|頁面|状态/i;
/** Entries read at most: a prompt is cut by its author long before. */
const MAX_ENTRIES = 200;

/** A prompt under headings that tells the actions so far as JSON, and of the newest the page that it has led to. */
export function readHeadedPrompt(text: string): ToldPrompt | undefined {
  if (!HISTORY.test(text)) return undefined;
  const parts = headed(text);
  const history = parts.find(({ title }) => HISTORY.test(title));
  const task = parts.find((part) => part !== history && TASK.test(part.title) && part.body.trim() !== "");
  if (history === undefined || task === undefined) return undefined;
  const page = parts.flatMap((part) =>
    part !== history && part !== task && STATE.test(part.title) ? [part.body.trim()] : [],
  );
  const told = entriesIn(history.body).flatMap((entry) => jsonActions.read(entry, "history") ?? []);
  if (told.length === 0) return undefined;
  const steps = told.map(({ calls, text: words }, index): Step => {
    const isNewest = index === told.length - 1 && page.length > 0;
    const outcome = { text: page.join("\n\n") };
    return { calls: isNewest ? calls.map((call) => ({ ...call, outcome })) : calls, text: words, heard: [] };
  });
  return { task: task.body.trim(), steps };
}

/** Braces that begin no object are passed over, up to so many: each costs a look at the text behind it. */
const MAX_STRAY = 32;

/** The objects with actions in a text, in order, each out of whatever it is wrapped in. */
function entriesIn(body: string): readonly string[] {
  const found: string[] = [];
  let stray = 0;
  for (let at = body.indexOf("{"); at !== -1 && found.length < MAX_ENTRIES && stray < MAX_STRAY; ) {
    const end = containerEnd(body, at);
    const value = parseJson(body.slice(at, end));
    if (value === undefined) stray += 1;
    else found.push(...actionTexts(value, 0));
    at = body.indexOf("{", value === undefined ? at + 1 : end);
  }
  return found.slice(0, MAX_ENTRIES);
}

/** Turns wrap what was said in members of their own, as an object or as its text. */
const MAX_WRAPS = 3;

function actionTexts(value: unknown, depth: number): readonly string[] {
  const text = isObject(value) ? jsonText(value) : stringIn(value);
  if (text?.includes('"action') === true && jsonActions.read(text, "history") !== undefined) return [text];
  if (!isObject(value) || depth >= MAX_WRAPS) return [];
  return Object.values(value).flatMap((member) => actionTexts(member, depth + 1));
}
