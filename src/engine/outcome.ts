import type { Outcome } from "../step.ts";
import { parseJson } from "./canonical.ts";
import { isRecord } from "./record.ts";
import { countWords } from "./sketch.ts";

/** How much an outcome tells: nothing (empty, one word), an acknowledgement, or something one could learn from. */
export type Weight = "nothing" | "acknowledgement" | "informative";

/** Why a call failed, where the text makes it plain. Another try may help with `transient` ones, and with no other. */
export type Cause = "auth" | "denied" | "unknown-tool" | "missing-parameter" | "unusable-answer" | "transient";

export interface Judgement {
  readonly failed: boolean;
  readonly weight: Weight;
  readonly cause?: Cause;
  /** The text says that something is still under way. */
  readonly pending: boolean;
  /** It was JSON: field names alone make two such texts look alike. */
  readonly structured: boolean;
}

/** Texts beyond this are taken as data, not as a message; only their head is judged. In characters. */
const HEAD = 2_000;

/** JSON beyond this is not parsed to be judged. In characters. */
const MAX_JSON = 65_536;

const CAUSES: readonly [Cause, RegExp][] = [
  [
    "transient",
    /\b(408|429|502|503|504)\b|too many requests|rate limit|timed? ?out|temporar(y|ily)|service unavailable|connection (reset|refused)|try again later|overloaded/i,
  ],
  [
    "unusable-answer",
    /no \S* ?(code|function|action|command|tool call)( block)? (was |were )?(found|detected|provided)|(could not|failed to|unable to) parse|not valid json|invalid (json|format)|your (last )?(response|answer|reply) (should|must|was)/i,
  ],
  [
    "auth",
    /\b401\b|unauthori[sz]ed|(invalid|expired|missing|no) (api[ _-]?key|token|credentials)|authentication (failed|required)|not (logged in|authenticated)/i,
  ],
  [
    "denied",
    /\b403\b|forbidden|permission denied|access denied|not (permitted|allowed|authori[sz]ed)|denied by (the )?user|user (denied|rejected)/i,
  ],
  [
    "unknown-tool",
    /(unknown|no such|invalid|unrecogni[sz]ed) (tool|function|action|command)\b|(tool|function|action)\s+\S{1,60}\s+(was )?(not found|does not exist|is not (available|defined|a valid))|no executable function/i,
  ],
  [
    "missing-parameter",
    /(missing|required)\b.{0,40}\b(parameter|argument|field|property|key)|(parameter|argument|field|property)\b.{0,60}\b(is )?(missing|required)\b|field required/i,
  ],
];

// "Could not find" is what a search says that found nothing: an answer, not a failure.
const FAILURE_LINE =
  /^\W{0,3}(\w+[:,]\s|(?!(no|without|last|previous|any|zero|fixed) )\w+\s(?=error:))?(error|fatal|failed|failure|fail|exception|traceback|panic|unable to|(could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|unknown|unhandled|denied|forbidden|unauthori[sz]ed)\b(?! (handling|messages?|codes?|logs?|types?|recovery|reference)\b)|^\W{0,3}(エラー|错误|錯誤|失敗|失败)/i;
const FAILURE_NAME = /^\W{0,3}([\w.]+\.)?[A-Z]\w*(Error|Exception|Failure)\b/;
const FAILURE_PHRASE =
  /command not found|no such file or directory|permission denied|traceback \(most recent call last\)|^\W{0,3}[45]\d\d\b [A-Z]|syntax error|is not recognized as|unknown (column|table|database|option|key)|\b[1-9]\d* (tests? )?failed\b|^Error executing/im;
// "Returned 12 rows" is no exit code: "return" needs the word.
const EXIT_CODE =
  /\b(?:exit(?:ed)?(?: with)?(?:[ _-]?status|[ _-]?code| exit code)?|return(?:ed)?(?: with)?(?: exit)? (?:status|code)|returncode>?)[ :=>]+(?<code>[1-9]\d*)\b/i;

const ACKNOWLEDGEMENT =
  /\b(ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|changed|replaced|submitted|posted|cleared|added|sent|inserted|edited|applied|complete[d]?|finished|moved|copied|acknowledged|recorded|stored|restarted|started|stopped|set|executed|no output|no changes?)\b|^ack\b|(完了|成功|保存|更新|作成|削除|追加|送信|登録)(し|され|済|です|$)|已经?(保存|更新|创建|删除|添加|发送|写入|提交)|成功|完成/i;
const ACKNOWLEDGEMENT_MAX = 160;

const PENDING =
  /\b(running|pending|in[ _-]progress|queued|waiting|processing|not (yet )?(ready|done|finished|complete)|no new output|still)\b/i;

/** Judges what came back: by what the wire says, else by structure, else by the first lines. */
export function judge(outcome: Outcome): Judgement {
  const head = outcome.text.slice(0, HEAD).trim();
  const value = looksJson(head) && outcome.text.length <= MAX_JSON ? parseJson(outcome.text) : undefined;
  const record = isRecord(value) ? value : undefined;
  const failed = outcome.failed ?? (record === undefined ? undefined : failedRecord(record)) ?? failedText(head);
  const cause = causeOf(head, failed);
  return {
    failed: failed || cause === "unusable-answer",
    structured: value !== undefined,
    weight: record === undefined ? weightOfText(head, failed) : weightOfRecord(record, failed),
    ...(cause === undefined ? {} : { cause }),
    pending: head.length <= 400 && PENDING.test(head),
  };
}

/** A correction by the harness is a failure even where nothing says "error". */
function causeOf(head: string, failed: boolean): Cause | undefined {
  const corrected = head.length <= 800 && CAUSES.find(([cause]) => cause === "unusable-answer")?.[1].test(head);
  if (!failed && corrected !== true) return undefined;
  return CAUSES.find(([, pattern]) => pattern.test(head))?.[0];
}

function looksJson(head: string): boolean {
  return head.startsWith("{") || head.startsWith("[");
}

/** Undefined: the structure does not say. */
function failedRecord(record: Readonly<Record<string, unknown>>): boolean | undefined {
  const { error, errors, success, ok, isError, is_error } = record;
  if (success === false || ok === false || isError === true || is_error === true) return true;
  if (isFilled(error) || isFilled(errors)) return true;
  for (const key of ["status", "status_code", "statusCode", "code"]) {
    const code = record[key];
    if (typeof code === "number" && code >= 400 && code <= 599) return true;
    if (typeof code === "string" && /^(error|failed|failure|[45]\d\d)$/i.test(code)) return true;
  }
  for (const key of ["exit_code", "exitCode", "returncode", "return_code", "exit"]) {
    const code = record[key];
    if (typeof code === "number") return code !== 0 && !(code === 1 && isSilent(record));
  }
  return success === true || ok === true || error === null ? false : undefined;
}

/** A bare exit code 1 is how grep, test and diff say no. */
function isSilent(record: Readonly<Record<string, unknown>>): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.trim() === "");
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== "" && value !== 0;
}

function failedText(head: string): boolean {
  const lines = head.split("\n", 3).join("\n").slice(0, 400);
  if (FAILURE_LINE.test(lines) || FAILURE_NAME.test(lines) || FAILURE_PHRASE.test(lines)) return true;
  const exit = EXIT_CODE.exec(lines);
  // A bare exit code 1 is how grep, test and diff say no: an empty answer.
  return exit !== null && (exit.groups?.code !== "1" || countWords(bare(head).replace(EXIT_CODE, "")) > 2);
}

function weightOfRecord(record: Readonly<Record<string, unknown>>, failed: boolean): Weight {
  const values = Object.values(record);
  if (values.every((value) => typeof value === "string" && value.trim() === "")) return "nothing";
  if ("exit_code" in record && isSilent(record)) return "nothing";
  const flat = values.every((value) => typeof value !== "object" || value === null);
  const short = values.every((value) => typeof value !== "string" || value.length <= 60);
  const agrees =
    record.ok === true ||
    record.success === true ||
    (typeof record.status === "string" && ACKNOWLEDGEMENT.test(record.status));
  return !failed && flat && short && agrees ? "acknowledgement" : "informative";
}

function weightOfText(head: string, failed: boolean): Weight {
  const text = bare(head);
  if (countWords(text.replace(EXIT_CODE, "")) <= 1 && text.length <= 60) return "nothing";
  if (!failed && text.length <= ACKNOWLEDGEMENT_MAX && ACKNOWLEDGEMENT.test(text)) return "acknowledgement";
  return "informative";
}

/** Markup tells nothing by itself. */
function bare(head: string): string {
  return head.replace(/<\/?[\w-]+>/g, " ").trim();
}
