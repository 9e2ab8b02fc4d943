import type { Call, Outcome, Step } from "../../step.ts";
import { latin1Bytes, latin1Text } from "../../text/bytes.ts";
import { requestWork } from "../../work.ts";
import { withoutReminders } from "../../text/reminders.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import type { Message } from "../dialects/dialect.ts";
import { appended, type EditFormat, elementsAt, grown, placedTools, silenced } from "../edits.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { arrayIn, isObject, jsonText, jsonValue, nonEmpty, objectIn, stringEnd, stringIn } from "../json/json.ts";
import { instead, type JsonPlace, type Splice } from "../json/place.ts";
import type { RequestFormat, ThreadFormat } from "../requests.ts";
import { contentText, forcedCall, formatOf, heardIn, NOT_DONE, offeredTool, partText } from "../requests.ts";
import type { NeutralHistory, OfferedTool } from "../protocol.ts";

function roleOf(message: Json): "system" | "user" | "assistant" | undefined {
  const { role } = objectIn(message);
  return role === "system" || role === "user" || role === "assistant" ? role : undefined;
}

export function blocksOf(content: Json): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : arrayIn(content).filter(isObject);
}

/** The API's own tools are called by `server_tool_use` and `mcp_tool_use`. */
export function callIn({ type, id, name, input }: JsonObject): Call | undefined {
  if (type !== "tool_use" && type !== "server_tool_use" && type !== "mcp_tool_use") return undefined;
  const call = { tool: stringIn(name) ?? "", args: cutText(stringIn(input) ?? jsonText(input ?? {}) ?? "{}") };
  return nonEmpty(id) === undefined ? call : { id: String(id), ...call };
}

/** Told by the client (`tool_result`), or within an answer by the API's own tools, which tell a failure by the content's type. */
export function resultIn({ type, tool_use_id, content, is_error }: JsonObject) {
  if (typeof type !== "string" || !type.endsWith("tool_result")) return undefined;
  const isError = stringIn(objectIn(content).type)?.endsWith("_error") === true || undefined;
  const failed = typeof is_error === "boolean" ? is_error : isError;
  const text = contentText(content);
  const outcome: Outcome = failed === undefined ? { text } : { text, failed };
  return { id: nonEmpty(tool_use_id), outcome };
}

const wordsIn = (content: Json) =>
  joinTexts(blocksOf(content).flatMap(({ type, text }) => (type === "text" ? (nonEmpty(text) ?? []) : [])));

/** A client's note to its own bill, of one line: new with each request. */
const BILLING = /^x-[\w-]{1,64}:[^\n]*$/;

function history({ system, messages }: JsonObject, previous?: Message): NeutralHistory {
  const entries = arrayIn(messages);
  const begun = previous === undefined ? entries.findIndex((message) => roleOf(message) === "assistant") : 0;
  const prompts = blocksOf(system).flatMap(({ text }): readonly Message[] =>
    typeof text === "string" && !BILLING.test(text) ? [{ part: "instruction", text }] : [],
  );
  const before = [...prompts, ...(previous === undefined ? [] : [previous])];
  const told = entries.flatMap((message, at) =>
    neutral(message, begun === -1 || at < begun).map((one) => ({ message: one, at })),
  );
  return [...before.map((message) => ({ message, at: -1 })), ...told];
}

/** @param opens before the first turn: an instruction that comes later changes nothing about whose run it is */
function neutral(message: Json, opens: boolean): readonly Message[] {
  const { content } = objectIn(message);
  switch (roleOf(message)) {
    case "system":
      return opens ? [{ part: "instruction", text: wordsIn(content) }] : [];
    case "assistant":
      return [{ part: "assistant", text: wordsIn(content), calls: callsIn(content) }];
    case "user": {
      const calls = callsIn(content);
      const heard = heardIn(blocksOf(content), heardBlock);
      return calls.length === 0 ? heard : [{ part: "assistant", text: "", calls }, ...heard];
    }
    default:
      return [];
  }
}

function callsIn(content: Json): readonly Call[] {
  const blocks = blocksOf(content);
  const outcomes = new Map(blocks.flatMap((block) => resultIn(block) ?? []).map(({ id, outcome }) => [id, outcome]));
  return blocks.flatMap((block): readonly Call[] => {
    const call = callIn(block);
    if (call === undefined) return [];
    const outcome = call.id === undefined ? undefined : outcomes.get(call.id);
    return [outcome === undefined ? call : { outcome, ...call }];
  });
}

function heardBlock(block: JsonObject): Message | string {
  if (callIn(block) !== undefined) return "";
  const result = resultIn(block);
  if (result !== undefined) return { part: "result", id: result.id, ...result.outcome };
  return block.type === "text" ? withoutReminders(partText(block)) : partText(block);
}

const isRequest = (body: JsonObject) => arrayIn(body.messages).some((message) => roleOf(message) !== undefined);

const OWN_BLOCKS = /^(thinking|redacted_thinking|(\w+_)?tool_(use|result))$/;

export function recognises(body: Json): boolean {
  if (!isObject(body) || !isRequest(body)) return false;
  if (body.system !== undefined || body.thread !== undefined || body.anthropic_version !== undefined) return true;
  if (arrayIn(body.tools).some((tool) => objectIn(tool).input_schema !== undefined)) return true;
  const blocks = arrayIn(body.messages).flatMap((message) => arrayIn(objectIn(message).content));
  return blocks.some((block) => OWN_BLOCKS.test(stringIn(objectIn(block).type) ?? ""));
}

/** The client's own tools. Those that the API runs itself are of a type of their own: a client cannot be made to call them. */
function toolsOf({ tools }: JsonObject): readonly OfferedTool[] {
  return arrayIn(tools).flatMap((tool) => {
    const { type, name, description, input_schema } = objectIn(tool);
    return (type ?? "custom") === "custom" ? offeredTool(name, description, input_schema) : [];
  });
}

const edits: EditFormat = {
  // Where the API keeps the history, it has kept the system prompt, too: only a thread's first request takes one.
  instruct: (body, texts) => (body.at("thread", "previous_message_id") ? [] : grown(body, "system", texts)),
  extended,
  // Behind an answer at the end the model goes on writing that.
  said: (texts, isLast) =>
    isLast ? undefined : { role: "user", content: texts.map((text) => ({ type: "text", text })) },
  offers: (body) =>
    placedTools(body, "tools", ({ name }) => ({
      name,
      schema: ["input_schema"],
      choice: ["tool_choice", { type: "tool", name }],
    })),
  // Tools that the history refers to must be on offer, and while the model thinks none may be chosen: then the note's words must do.
  mayNarrow: (body) => !mayThink(objectIn(body.value)) && !body.json().includes('"tool_reference"'),
  silence: (body) => silenced(body, "tools", "tool_choice", '{"type":"none"}'),
  mayBegin: (body) => !mayThink(body),
  schemas: [
    ["output_config", "format", "schema"],
    ["output_format", "schema"],
  ],
};

const mayThink = ({ thinking }: JsonObject) => (objectIn(thinking).type ?? "disabled") !== "disabled";

/** At the end of this call's result, else of the message's last one; without a result at the end of what the message says. */
function extended(message: JsonPlace, texts: readonly string[], call: string | undefined): readonly Splice[] {
  const results = elementsAt(message, "content").filter(({ value }) => takesText(value));
  const own = results.find(({ value }) => resultIn(objectIn(value))?.id === call) ?? results.at(-1);
  const content = (own ?? message).at("content");
  return content === undefined ? [] : appended(content, texts);
}

/** Whether a block is a result beside which a text may stand: the API wants references to tools alone. */
function takesText(block: Json): boolean {
  const { type, content } = objectIn(block);
  const isPlain =
    Array.isArray(content) &&
    content.every((part) => /^(text|image|document)$/.test(stringIn(objectIn(part).type) ?? ""));
  return type === "tool_result" && (typeof content === "string" || isPlain);
}

const threads: ThreadFormat = {
  always: false,
  tellsTurn: (messages) => messages.some(({ role }) => role === "assistant"),
  renamed: (body, answerId, messages) => [
    ...[body.at("thread", "previous_message_id")].flatMap((id) => (id ? [instead(id, JSON.stringify(answerId))] : [])),
    ...[body.at("messages")].flatMap((list) => (list && messages !== "" ? [list.lead(messages)] : [])),
  ],
  substitutes,
};

function substitutes(unanswered: readonly Call[], step: Step | undefined): readonly object[] {
  const results = unanswered.flatMap(({ id }) =>
    id === undefined ? [] : [{ type: "tool_result", tool_use_id: id, content: NOT_DONE }],
  );
  const words = step === undefined || step.text === "" ? [] : [{ type: "text", text: step.text }];
  const calls = (step?.calls ?? []).map(({ id, tool: name, args }) => ({
    type: "tool_use",
    id,
    name,
    input: jsonValue(args, requestWork()) ?? {},
  }));
  return [
    ...(results.length === 0 ? [] : [{ role: "user", content: results }]),
    ...(words.length + calls.length === 0 ? [] : [{ role: "assistant", content: [...words, ...calls] }]),
  ];
}

/** In valid JSON such a key stands in no string: its quotation marks would be escaped. What kind it is, and how long it holds. */
const MARK = String.raw`"cache_control"\s*:\s*(?:null|\{\s*"type"\s*:\s*"ephemeral"[^{}]{0,256}\})`;
const MARKS = new RegExp(String.raw`,\s*${MARK}|(\{\s*)${MARK}\s*,`, "g");
/** How a list begins that is one text, in the two ways of writing JSON without line breaks. */
const WRAPPING = /\[\{"type": ?"text", ?"text": ?(?=")/g;
/** Without marks for the prompt cache, which move on, and without the list around a text alone, which is there for one. */
function withoutCacheMarks(body: Uint8Array): Uint8Array {
  const text = latin1Text(body);
  const unmarked = text.includes('"cache_control"') ? text.replace(MARKS, "$1") : text;
  const plain = unwrapped(unmarked);
  return plain === text ? body : latin1Bytes(plain);
}

function unwrapped(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: opening } of text.matchAll(WRAPPING)) {
    const start = index + opening.length;
    const end = stringEnd(text, start);
    if (!text.startsWith("}]", end)) continue;
    pieces.push(text.slice(from, index), text.slice(start, end));
    from = end + 2;
  }
  return pieces.join("") + text.slice(from);
}

export const requests: RequestFormat = {
  isRequest,
  sampling: ["model", "temperature", "top_p", "top_k", "metadata.user_id"],
  list: "messages",
  history,
  terms(body) {
    const tools = toolsOf(body);
    // Where the API keeps the history (`thread`), a request names the message that it goes on from.
    const previousAnswerId = nonEmpty(objectIn(body.thread).previous_message_id);
    const { type, schema } = objectIn(objectIn(body.output_config).format ?? body.output_format);
    return {
      tools,
      // In a thread that the API keeps, the tools were told when it began.
      hasTools: tools.length > 0 || previousAnswerId !== undefined,
      toolChoice: forcedCall(body.tool_choice),
      format: formatOf(type, schema),
      previousAnswerId,
      unread: stringIn(objectIn(arrayIn(body.messages).find((message) => roleOf(message) === undefined)).role),
    };
  },
  edits,
  delta: { comparable: withoutCacheMarks, resultKey: "tool_use_id" },
  threads,
};
