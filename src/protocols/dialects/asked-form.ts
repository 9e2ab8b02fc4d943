import { containerEnd, isObject, parseJson } from "../json/json.ts";
import type { AnswerFormat, ParsedRequest } from "../protocol.ts";
import { honestJson } from "../schema-fill/schema-fill.ts";
import type { Dialect } from "./dialect.ts";
import { exampleSchema, jsonActions, objectSchema } from "./json-actions.ts";

/**
 * The form of a final answer: what the request demands, else what its instructions ask for in words. Those are read here
 * and not with every request: only an end needs to know.
 */
export function finalFormat({ format, conversation: { system, opening } }: ParsedRequest): AnswerFormat {
  if (format.kind !== "text" || format.isAsIs === true) return format;
  const instructions = [system, ...opening].join("\n");
  const dialect = [askedTag, askedJson].find((form) => form.recognises?.(instructions));
  if (dialect === undefined) return format;
  // An object of actions ends as its agents end.
  const sample = dialect === askedJson ? lastObject(instructions, actionsIn) : undefined;
  return { kind: "dialect", dialect: sample === undefined ? dialect : jsonActions, sample: sample ?? "", instructions };
}

/** JSON that is asked for in words alone. */
const askedJson: Dialect = {
  name: "asked-json",
  isWhole: true,
  recognises: (instructions) => demandOfJson(instructions) !== undefined,
  read: () => undefined,
  finishNote: () => "Your whole answer must be the JSON that you were asked for, and nothing else.",
  finalText({ text, ended, instructions }) {
    // The model has given its answer in this form already.
    const given = isObject(parseJson(text)) ? text.trim() : undefined;
    const schema = given ?? lastObject(instructions, shapeOf) ?? objectSchema([["message", { type: "string" }]]);
    // None where any value of the form would state what the model has not said.
    const json = given ?? honestJson(schema, text, ended);
    return json !== undefined && FENCED.test(instructions) ? `\`\`\`json\n${json}\n\`\`\`` : (json ?? text);
  },
};

/** A pair of tags between which the answer is looked for. */
const askedTag: Dialect = {
  name: "asked-tag",
  isWhole: true,
  recognises: (instructions) => tagIn(instructions) !== undefined,
  read: () => undefined,
  finishNote: ({ instructions }) => `Put your whole answer between the tags named ${tagIn(instructions)}.`,
  finalText({ text, instructions }) {
    const tag = tagIn(instructions);
    return tag === undefined || text.includes(`</${tag}>`) ? text : `<${tag}>${text}</${tag}>`;
  },
};

/** Mentions looked at; more of them are a document about the subject. */
const MAX_MENTIONS = 24;
/** What is looked at around a mention, in characters. */
const AROUND = 160;

const ASKS = /\b(respond|reply|answer|output|return|produce|provide|format(ted)?|finish|end|wrap)\b/i;
const STRICTLY =
  /\b(in|as|with|only|strictly|valid|exactly|single|following)\b[^.\n]{0,24}\bJSON\b|\bJSON\b[^.\n]{0,24}\b(only|format|matching|conform(s|ing)?|nothing else|(in|of|with) (the|this) (following )?(form|format|shape|structure|schema|fields|keys))\b/;
/** Where an answer is put between tags. */
const PUTS =
  /\b(respond|reply|answer|output|return|provide|write|give|format(ted)?|finish|end|put|wrap|place|enclose)\b/i;
/** It is about something else than the answer. */
const ELSEWHERE = /\b(tools?|functions?|arguments?|parameters?|inputs?|files?|api|endpoints?|requests?)\b/i;
const FENCED = /```json\b[^\n]{0,80}\b(block|fence)|\b(block|fence)[^\n]{0,80}```json\b/i;

/** Where JSON is asked for as the answer; undefined where it is not. */
function demandOfJson(instructions: string): number | undefined {
  const mentions = [...instructions.matchAll(/JSON/g)].slice(0, MAX_MENTIONS);
  return mentions.find(({ index }) => {
    const around = sentenceAt(instructions, index);
    return ASKS.test(around) && STRICTLY.test(around) && !ELSEWHERE.test(around);
  })?.index;
}

/** The sentence around a place, as far as it is near. */
function sentenceAt(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - AROUND), at);
  const behind = text.slice(at, at + AROUND);
  const end = behind.search(/[.\n](?:\s|$)/);
  const start = Math.max(before.lastIndexOf("."), before.lastIndexOf("\n")) + 1;
  return before.slice(start) + behind.slice(0, end === -1 ? undefined : end);
}

const TAG = /<(answer|final_answer|final|final_response|response|result|final_result|output|solution)>/gi;

/** The tag that the last answer is to stand between. */
function tagIn(instructions: string): string | undefined {
  const mentions = [...instructions.matchAll(TAG)].slice(0, MAX_MENTIONS);
  return mentions.find(({ index, 1: name }) => {
    const isClosed = instructions.slice(index, index + 2 * AROUND).includes(`</${name}>`);
    return isClosed && PUTS.test(instructions.slice(Math.max(0, index - AROUND), index));
  })?.[1];
}

/** Objects looked at: those of a long prompt are examples of something else. */
const MAX_OBJECTS = 32;
const MAX_SHAPE = 8_000;

/** Of the objects in the instructions the last one that is something to the reader, behind the demand if one is. */
function lastObject<Found>(instructions: string, read: (text: string) => Found | undefined): Found | undefined {
  const demand = demandOfJson(instructions) ?? 0;
  let before: Found | undefined;
  let behind: Found | undefined;
  let count = 0;
  for (let at = instructions.indexOf("{"); at !== -1 && count < MAX_OBJECTS; count += 1) {
    const near = instructions.slice(at, at + MAX_SHAPE + 1);
    const length = containerEnd(near, 0);
    const object = length > MAX_SHAPE ? undefined : read(near.slice(0, length));
    if (object !== undefined && at > demand) behind = object;
    else if (object !== undefined) before = object;
    at = instructions.indexOf("{", object === undefined ? at + 1 : at + length);
  }
  return behind ?? before;
}

function actionsIn(text: string): string | undefined {
  return jsonActions.read(text, "history") === undefined ? undefined : text;
}

/** A schema, told as one, by an example, or loosely. */
function shapeOf(text: string): unknown {
  const value = parseJson(text);
  if (!isObject(value)) return looseShape(text);
  if (isObject(value.properties) && Object.values(value.properties).every(isObject))
    return { type: "object", ...value };
  return Object.keys(value).length === 0 ? undefined : exampleSchema(value);
}

/** An object as people sketch one: `{"answer": string, "sure": true or false}`. */
const MEMBER = /(?<![\w-])["']?([A-Za-z_][\w-]{0,63})["']?[ \t]{0,8}:[ \t]{0,8}([^\s,{}])([^\n,{}]{0,80})/g;

function looseShape(text: string): unknown {
  if (!text.endsWith("}") || text.lastIndexOf("{") > 0) return undefined;
  const members = [...text.matchAll(MEMBER)].map(([, key = "", first = "", rest = ""]): [string, unknown] => {
    const sketch = `${first}${rest}`;
    if (/^["'<]/.test(sketch)) return [key, exampleSchema(sketch.replace(/^["'<]|["'>]$/g, ""))];
    if (first === "[") return [key, { type: "array" }];
    if (/^(number|integer|int|float|-?\d)/i.test(sketch)) return [key, { type: "number" }];
    return [key, { type: /^(bool|true|false)/i.test(sketch) ? "boolean" : "string" }];
  });
  return members.length === 0 ? undefined : objectSchema(members);
}
