import { alternatives, alternativesBesides } from "../../languages/languages.ts";
import type { Outcome } from "../../step.ts";
import { isDenial } from "./denial.ts";
import { type Json, type JsonObject, isObject as isRecord } from "../../text/is-object.ts";
import { countWords } from "../../scan/scan.ts";

/** Weight of an outcome: nothing (empty, one word), an acknowledgement, or something one could learn from. */
export type Weight = "nothing" | "acknowledgement" | "informative";

/** Cause of a failure, where the text makes it plain. Another try may help with `transient` ones, and with no other. */
export type Cause = "auth" | "denied" | "unknown-tool" | "missing-parameter" | "unusable-answer" | "transient";

export interface OutcomeReading {
  readonly failed: boolean;
  readonly weight: Weight;
  readonly cause: Cause | undefined;
  /** Its end says that something is wrong, though the call did what it was to do: a red test, a linter's complaint. */
  readonly complains?: true;
  /** The text says that something is still under way. */
  readonly pending: boolean;
  /** It was JSON: field names alone make two such texts look alike. */
  readonly structured: boolean;
}

/** Texts beyond this are taken as data, not as a message; only their head is judged. In characters. */
const HEAD = 2_000;

const UNUSABLE =
  /no \S* ?(code|function|action|command|tool call)( block)? (was |were )?(found|detected|provided)|(could not|failed to|unable to) parse|not valid json|invalid (json|format)|your (last )?(response|answer|reply) (should|must|was)/i;

const CAUSES: readonly [Cause, RegExp][] = [
  [
    "transient",
    /\b(408|429|50[234])\b|too many requests|rate limit|\w{0,24}timed? ?out(error|exception)?\b(?!['"`])|temporar(y|ily)|service unavailable|connection (reset|refused)|try again later|overloaded|resource_?exhausted|\bquota\b.{0,24}\bex(ceeded|hausted)|\bretry[- ](in|after)\b/i,
  ],
  ["unusable-answer", UNUSABLE],
  [
    "auth",
    /\b401\b|unauthori[sz]ed|(invalid|expired|missing|no) (api[ _-]?key|token|credentials)|authentication (failed|required)|not (logged in|authenticated)/i,
  ],
  [
    "denied",
    /\b403\b|forbidden|permission denied|access denied|not (permitted|allowed|authori[sz]ed)|(denied|rejected) by (the )?user|user (denied|rejected)/i,
  ],
  [
    "unknown-tool",
    /(unknown|no such|invalid) (tool|function|action|command)\b|(tool|function|action)\s+\S{1,60}\s+(was )?(not found|does not exist|is not (available|defined|a valid))|no executable function|\bis not a valid (tool|function|action|command)\b/i,
  ],
  [
    "missing-parameter",
    /(missing|required)\b.{0,40}\b(parameter|argument|field|property|key)|(parameter|argument|field|property)\b.{0,60}\b(missing|required)\b/i,
  ],
];

// "Could not find" is what a search says that found nothing: an answer, not a failure.
const FAILURE_LINE = new RegExp(
  [
    String.raw`^\W{0,3}(internal|unexpected|server|network) (server )?error\b`,
    String.raw`^\W{0,3}(\w+[:,]\s|(?!(no|without|last|any) )\w+\s(?=error(?:\s\d{1,4}(?:\/\d{1,4})?)?:))?(${alternatives("failureOpening", "en")})\b(?! (handling|messages?|codes?|logs?|types?|rates?|counts?|pages?)\b)`,
    String.raw`^\W{0,3}(${alternativesBesides("failureOpening", "en")})(?![\p{L}])`,
  ].join("|"),
  "iu",
);
const FAILURE_NAME = /^\W{0,3}([\w.]+\.)?[A-Z]\w*(Error|Exception|Failure)\b/;
const FAILURE_PHRASE =
  /command not found|permission denied|traceback \(most recent call last\)|syntax error|unknown (column|table|option|key)|\b[1-9]\d* (tests? )?failed\b|\btimeout (?:of )?\d{1,9} ?m?s exceeded|\bnet::ERR_[A-Z]|\b(an error occurred|there was an error) (while|when|during)\b|\b(?:tool|function|action)(?: call| use| execution)? failed(?: with\b|:)|^\W{0,3}(?!(?:no|not|nothing|0) )[\w.]{1,64} failed(?=\s?[:.!(]|\s?$| (?:to|with|because|after)\b)|\bno such \w|\b[A-Z]\w{2,40}(Exception|NotFound)\b/im;
/** HTTP status with its reason, as servers write it: a count of things ("490 rows") is none. */
const STATUS_LINE = /^\W{0,3}(?:HTTP(?:\/[\d.]{1,3})? )?[45]\d\d [A-Z]/m;
/** A harness's own last line. In characters. */
const LAST_LINE = 200;
const LAST_EXIT_CODE =
  /(?:^|\n)(?:[[(]?(?:the )?(?:\w{1,12} )?(?:(?:completed|finished|exited) with (?:exit )?code|exit (?:status|code):?)|[[(]exit:?) (?<code>[1-9]\d{0,4})[.)\]]{0,2}$/i;
const LABELLED_EXIT_CODE = /^Exit Code: (?<code>[1-9]\d{0,4})$/m;
const NO_OUTPUT = /^Output: \(empty\)$/m;
// "Returned 12 rows" is no exit code: "return" needs the word.
const EXIT_CODE =
  /\b(?:exit(?:ed)?(?: with)?(?:[ _-]?status|[ _-]?code| exit code)?|return(?:ed)?(?: with)?(?: exit)? (?:status|code)|returncode>?)[ :=>]+(?<code>[1-9]\d*)\b/i;

const ACKNOWLEDGEMENT = new RegExp(
  String.raw`^\W*(?:\S+\s+){0,5}\S*\b(${alternatives("done")})\b|^ack\b|^\W*(successfully )?(${alternatives("gesture")})\b`,
  "i",
);
const ACKNOWLEDGEMENT_MAX = 160;
const PENDING = new RegExp(String.raw`\b(${alternatives("waiting")})\b`, "i");
/** A state that is told as going on, as long as it is none of being well or not. */
const PENDING_STATE =
  /\b(status|state|phase|stage)"?\s*(is|[:=])?\s*"?(\w+[ _-])?(?!(pass|fail|exist|miss)ing)(\w{3,16}ing|scheduled|not[ _]started)\b/i;

/** Test runners, compilers and linters say at the end how it went. In characters. */
const END = 600;
const COMPLAINT =
  /\b[1-9]\d* (tests? |specs? )?(fail(ed|ures?|ing)|errors?|problems?)\b|\bFAIL(ED|URES?)?\b|\bpanicked\b|^not ok\b|[✖✗✘❌]|#(?:REF|VALUE|DIV\/0)!|\w(Error|Exception)\b|\b(?:error|ERROR|Error)(\[\w+\]| [A-Z]+\d+)?:/m;

export interface ReadingTerms {
  readonly makes?: boolean;
  /** What a short report that denies something is: an answer, or a failure. */
  readonly denials?: "answer" | "fail" | undefined;
  /** Texts that the call asked with, the longest first. */
  readonly requested?: readonly string[];
}

/**
 * Judges what came back: by what the wire says, else by structure, else by the first lines.
 * @param value the text's own, where it is JSON
 */
export function readOutcome(outcome: Outcome, value: Json, { denials, makes }: ReadingTerms = {}): OutcomeReading {
  const head = outcome.text.slice(0, HEAD).trim();
  const told = wrappedIn(value)?.slice(0, HEAD).trim() ?? head;
  const record = isRecord(value) ? value : undefined;
  const failed =
    outcome.failed ??
    (record === undefined ? undefined : failedRecord(record)) ??
    (hasErrorCode(value) ? true : undefined) ??
    (isMarkedError(told) ||
      failedText(told, outcome.text.slice(-LAST_LINE).trimEnd()) ||
      (denials === "fail" && isDenial(head, value)));
  const cause = causeOf(outcome.text.length > HEAD ? `${head}\n${outcome.text.slice(-LAST_LINE)}` : head, failed);
  const isDenied = (makes === true || denials === "fail") && isDenial(head, value);
  const complains = COMPLAINT.test(head.slice(0, 400)) || COMPLAINT.test(outcome.text.slice(-END)) || isDenied;
  return {
    failed: failed || cause === "unusable-answer" || cause === "unknown-tool",
    structured: value !== undefined,
    weight: record === undefined ? weightOfText(head, failed) : weightOfRecord(record, failed),
    cause,
    pending: head.length <= 400 && (PENDING.test(head) || PENDING_STATE.test(head)),
    ...(complains && { complains }),
  };
}

/** What a wrapper calls the one text that came back, and what may stand beside it. */
const WRAPPED = /^(?:content|output|result|response|return_?value|text)$/i;
const LABEL = /^(?:name|type|id|(?:tool|call|tool_call)_?id|role)$/i;

const MOST_LABELS = 16;
/** The text of a record, or of a list of one, that tells nothing else. */
function wrappedIn(value: Json, depth = 4): string | undefined {
  if (typeof value === "string" && depth < 4) return value;
  if (Array.isArray(value) && value.length === 1 && depth > 0) return wrappedIn(value[0], depth - 1);
  const entries = isRecord(value) && depth > 0 ? Object.entries(value) : [];
  const fields = entries.length > MOST_LABELS ? entries : entries.filter(([key]) => !LABEL.test(key));
  const [[key, field] = ["", undefined], another] = fields;
  return another === undefined && WRAPPED.test(key) ? wrappedIn(field, depth - 1) : undefined;
}

/** A sign that needs no language; of a list some items have the other one. */
const CROSS = /^\s{0,8}[❌❎✖✗✘🚫⛔🛑]/u;
const TICK = /[✅✔✓☑]/u;

/** A server's page in the place of what was asked for. */
const STATUS_TITLE = /^<(?:!doctype|html)\b.{0,200}<title>\s*[45]\d\d [A-Z]/is;

/** All of it stands in a tag that says so. */
function isMarkedError(head: string): boolean {
  if (CROSS.test(head)) return !TICK.test(head);
  return (
    /^(?:<\?xml[^>]{0,80}>\s*)?<[\w:-]{0,32}(error|failure|exception)[\w:-]{0,16}>/i.test(head) ||
    STATUS_TITLE.test(head)
  );
}

const SHORT_ANSWER = 400;
const NO_SUCH_TOOL =
  /^\W{0,8}(the )?(tool|function|action)\s+\S{1,60}\s+(was |is )?(not (found|available|defined|known|a valid)|does not exist|unknown)|\bis not a valid (tool|function|action|command)\b/i;

/** A correction by the harness is a failure even where nothing says "error". */
function causeOf(head: string, failed: boolean): Cause | undefined {
  if (!failed && head.length <= SHORT_ANSWER && NO_SUCH_TOOL.test(head)) return "unknown-tool";
  if (!failed && !isCorrection(head)) return undefined;
  return CAUSES.find(([, pattern]) => pattern.test(head))?.[0];
}

function isCorrection(text: string): boolean {
  return text.length <= 800 && UNUSABLE.test(text);
}

const STATUS_KEYS = ["status", "status_code", "statusCode", "code"];
const FAILED_STATUS = /^(?:error|failed|failure|[45]\d\d)$/i;
const EXIT_KEYS = ["exit_code", "exitCode", "returncode", "return_code", "exit"];

/** Undefined: the structure does not say. */
function failedRecord(record: JsonObject): boolean | undefined {
  const { error, errors, success, ok, isError, is_error } = record;
  if (isNo(success) || isNo(ok) || isError === true || is_error === true) return true;
  if (isFilled(error) || isFilled(errors)) return true;
  if (STATUS_KEYS.some((key) => typeof record[key] !== "object" && FAILED_STATUS.test(`${record[key]}`))) return true;
  const exit = EXIT_KEYS.map((key) => record[key]).find((code) => typeof code === "number");
  if (exit !== undefined) return exit !== 0 && !(exit === 1 && isSilent(record));
  const hasNoError = Object.hasOwn(record, "error") && !isFilled(error);
  return success === true || ok === true || hasNoError ? false : undefined;
}

const NO_ERROR = /^(?:0x?0*|[123]\d\d|s0+|no_?err\w*|succ\w*|ok|none|null)$/i;

/** A record, or a list of nothing else, that names its error by a code and says what that is, and brings nothing. */
function hasErrorCode(value: Json): boolean {
  const records: readonly Json[] = Array.isArray(value) ? value : [value];
  return records.length > 0 && records.every(isErrorRecord);
}

function isErrorRecord(record: Json): boolean {
  if (!isRecord(record) || isFilled(record.data) || isFilled(record.result)) return false;
  const code = record.errorCode ?? record.error_code ?? record.errcode;
  const message = record.message ?? record.msg ?? record.errmsg ?? record.errorMessage ?? record.error_message;
  const isCode = (typeof code === "string" && code !== "") || (typeof code === "number" && code !== 0);
  return isCode && typeof message === "string" && !NO_ERROR.test(String(code));
}

/** As programs without booleans say it, too. */
function isNo(value: Json): boolean {
  return value === false || value === 0 || value === "false";
}

/** A bare exit code 1 is how grep, test and diff say no. */
function isSilent(record: JsonObject): boolean {
  return Object.values(record).every((value) => typeof value !== "string" || value.trim() === "");
}

function isFilled(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== "" && value !== 0;
}

/** @param end of the text, where harnesses tell what a command has come to */
function failedText(head: string, end: string): boolean {
  const lines = firstLines(head);
  if (isLog(lines)) return false;
  if ([FAILURE_LINE, FAILURE_NAME, FAILURE_PHRASE, STATUS_LINE].some((sign) => sign.test(lines))) return true;
  const exit = EXIT_CODE.exec(lines) ?? LAST_EXIT_CODE.exec(end) ?? LABELLED_EXIT_CODE.exec(head);
  if (exit === null) return false;
  // A bare exit code 1 is how grep, test and diff say no: an empty answer.
  const isBare = NO_OUTPUT.test(head) || countWords(bare(head).replace(EXIT_CODE, "")) <= 2;
  return exit.groups?.code !== "1" || !isBare;
}

const LOG_LEVEL = /^\W{0,3}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|NOTICE|CRITICAL)\b(?!:)/;

/** Lines that each say how grave they are: what a log tells, however grave, was looked for. */
function isLog(lines: string): boolean {
  // As a rule the first line tells.
  if (!LOG_LEVEL.test(lines)) return false;
  const logLines = lines.split("\n").filter((line) => line.trim() !== "");
  return logLines.length >= 2 && logLines.every((line) => LOG_LEVEL.test(line));
}

function firstLines(head: string): string {
  let end = -1;
  for (let line = 0; line < 3; line++) {
    end = head.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  return head.slice(0, end < 0 ? 400 : Math.min(end, 400));
}

function weightOfRecord(record: JsonObject, failed: boolean): Weight {
  const values = Object.values(record);
  if (values.every(isEmpty) || countsNothing(values)) return "nothing";
  if ("exit_code" in record && isSilent(record)) return "nothing";
  const flat = values.every((value) => typeof value !== "object" || value === null);
  const short = values.every((value) => typeof value !== "string" || value.length <= 60);
  const agrees =
    record.ok === true ||
    record.success === true ||
    [record.status, record.state, record.health, record.result].some(
      (value) => typeof value === "string" && ACKNOWLEDGEMENT.test(value),
    );
  return !failed && flat && short && agrees ? "acknowledgement" : "informative";
}

function weightOfText(head: string, failed: boolean): Weight {
  const text = bare(head);
  const agrees = !failed && text.length <= ACKNOWLEDGEMENT_MAX && !tellsWhatIsSeen(text) && ACKNOWLEDGEMENT.test(text);
  if (agrees) return "acknowledgement";
  return text.length <= 60 && countWords(text.replace(EXIT_CODE, "")) <= 1 ? "nothing" : "informative";
}

function countsNothing(values: readonly Json[]): boolean {
  return values.includes(0) && values.some((value) => Array.isArray(value) && value.length === 0);
}

function isEmpty(value: Json): boolean {
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) ? value.length === 0 : value === 0 || value === null;
}

const GESTURE = new RegExp(String.raw`^\W{0,8}(successfully )?(${alternatives("gesture")})\b`, "i");
const FEW_WORDS = 4;

/** A gesture's report goes on with what is on the screen now. */
function tellsWhatIsSeen(text: string): boolean {
  const rest = text.indexOf("\n");
  return rest > 0 && GESTURE.test(text) && countWords(text.slice(rest)) > FEW_WORDS;
}

/** Markup tells nothing by itself. */
function bare(head: string): string {
  return head.includes("<") ? head.replace(/<\/?[\w-]+>/g, " ").trim() : head;
}
