import { type Call, type Conversation, type Step, UNKNOWN_TOOL } from "../step.ts";
import { cutText, joinTexts } from "../text/text-span.ts";
import { atOnce, type Pieces } from "../turns.ts";
import { requestWork, type Work } from "../work.ts";
import { calledStep, carriedCall, nextStepOf } from "./dialects/ends.ts";
import { habitsOf, historyInPieces, historyOf } from "./dialects/history.ts";
import type { Message } from "./dialects/dialect.ts";
import { type EditFormat, rewritten } from "./edits.ts";
import type { Json, JsonObject } from "./json/json.ts";
import { arrayIn, isObject, nonEmpty, objectIn, stringIn } from "./json/json.ts";
import { jsonText, jsonValue, memberAt, parseForReading, readInPieces } from "./json/json.ts";
import { addedElements, endOfElements, type JsonPlace, placedObject, type Splice, textsFromEnd } from "./json/place.ts";
import type {
  AnswerFormat,
  NeutralHistory,
  OfferedTool,
  ParsedRequest,
  PreviousTurn,
  Protocol,
  RequestBody,
  RequestDelta,
} from "./protocol.ts";

export interface RequestFormat {
  isRequest(body: JsonObject): boolean;
  streams?(body: JsonObject): boolean;
  /** Members that make two requests with one history two different ones, by path: `metadata.user_id`. */
  readonly sampling: readonly string[];
  readonly list: string;
  history(body: JsonObject, previous?: Message): NeutralHistory;
  terms(body: JsonObject): RequestTerms;
  readonly edits: EditFormat;
  readonly delta: {
    comparable?(body: Uint8Array): Uint8Array;
    /** The member of an entry that names the call it brings the result of. */
    readonly resultKey: string;
    /** What is added may belong to the last entry. */
    goesOn?(body: JsonObject): boolean;
    /** Whether added entries may be read without the earlier ones, as far as the format alone can tell. */
    mayStandAlone?(entries: readonly Json[]): boolean;
  };
  readonly threads?: ThreadFormat;
}

export interface RequestTerms
  extends Pick<ParsedRequest, "tools" | "format">,
    Partial<Pick<ParsedRequest, "alternatives" | "previousAnswerId" | "keptUnder" | "unread">> {
  /** The agent is known to have tools, though this request may not tell them. */
  readonly hasTools?: boolean;
  readonly toolChoice: ParsedRequest["toolChoice"];
}

export interface ThreadFormat {
  /** Whether a request may be told of what its upstream has never heard, although it carries its history. */
  readonly always: boolean;
  substitutes(unanswered: readonly Call[], step: Step | undefined, tools: ParsedRequest["tools"]): readonly object[];
  tellsTurn(entries: readonly JsonObject[]): boolean;
  /** With entries in front of its own: their JSON, "" for none. */
  renamed(body: JsonPlace, answerId: string, entries: string): readonly Splice[];
  referring?(request: ParsedRequest, turn: PreviousTurn, read: (source: RequestBody) => ParsedRequest): ParsedRequest;
}

export const NOT_DONE = "[unloop] The run was stopped here: there is no result.";

export function requestsOf(
  endpoints: readonly RegExp[],
  format: RequestFormat,
): Pick<Protocol, "endpoints" | "refersToAnswers" | "parse" | "parseInPieces" | "delta" | "rewrite"> {
  const { threads } = format;
  const read = (source: RequestBody, previous?: Message): ParsedRequest => atOnce(reading(source, previous));
  function* reading(source: RequestBody, previous?: Message): Pieces<ParsedRequest> {
    const request = yield* parsed(format, endpoints, source, previous);
    if (threads === undefined || (request.previousAnswerId ?? request.unknownCallId) === undefined) return request;
    const continuing = (turn: PreviousTurn, task: string) =>
      threads.referring !== undefined && request.previousAnswerId === undefined
        ? threads.referring(request, turn, read)
        : behindTurn(threads, source, turn, task);
    return { ...request, continuing };
  }
  function behindTurn(own: ThreadFormat, source: RequestBody, turn: PreviousTurn, task: string): ParsedRequest {
    const { standIn, calls, text } = turn;
    const entries = arrayIn(standIn && jsonValue(standIn.items, source.work)).filter(isObject);
    const body = standIn && placedObject(source.text, source.body);
    const told = entries.length === 0 ? "" : (standIn?.items.trim().slice(1, -1) ?? "");
    const sent = body && standIn && body.json(own.renamed(body, standIn.answerId, told));
    const whole = sent ? { ...source, text: sent, body: objectIn(parseForReading(sent, source.work)) } : source;
    const request = read(whole, own.tellsTurn(entries) ? undefined : { part: "assistant", text, calls });
    const conversation = { ...request.conversation, opening: task === "" ? [] : [task] };
    return { ...request, conversation, continuing: undefined };
  }

  function* parseInPieces(text: string, target: string, work: Work): Pieces<ParsedRequest | undefined> {
    const body = yield* readInPieces(text, work);
    return isObject(body) && format.isRequest(body) ? yield* reading({ text, body, target, work }) : undefined;
  }

  return {
    endpoints,
    refersToAnswers: threads !== undefined,
    parse: (text, target = "", work = requestWork()) => atOnce(parseInPieces(text, target, work)),
    parseInPieces,
    delta: deltaOf(endpoints, format),
    rewrite: (request, edits) => rewritten(format.edits, format.list, request, edits),
  };
}

/** To look for the tool that ends a run. */
const TOOL_WORK = 128;

function* parsed(
  format: RequestFormat,
  paths: readonly RegExp[],
  source: RequestBody,
  previous?: Message,
): Pieces<ParsedRequest> {
  const { body, target, work } = source;
  const { model, streams } = saidInTarget(paths, target);
  const { threads } = format;
  const { tools, hasTools = tools.length > 0, toolChoice, format: demanded, ...terms } = format.terms(body);
  work.spend(TOOL_WORK * tools.length);
  const nextStep = nextStepOf({ tools, format: demanded }, toolChoice);
  const told = format.history(body, previous);
  const messages = told.map(({ message }) => message);
  if (work.isDue(source.text.length / 2)) yield;
  const history = yield* historyInPieces(messages, work, { nextStep, isWithoutTools: !hasTools });
  if (work.isDue(source.text.length / 2)) yield;
  const { conversation, places, isPrompt, shown } = history;
  const toldAs = namesIn(conversation, tools);
  const sampling = format.sampling.map((path) => memberAt(body, path.split(".")));
  const { previousAnswerId } = terms;
  const unknown =
    threads && conversation.steps.findLast(({ calls }) => calls.some(({ tool }) => tool === UNKNOWN_TOOL));
  return {
    target,
    model: model ?? stringIn(body.model),
    streams: streams ?? format.streams?.(body) ?? body.stream === true,
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...habitsOf(messages, history, hasTools, { demanded, ...(nextStep && { nextStep }), work }),
    alternatives: terms.alternatives ?? false,
    conversation,
    previousAnswerId,
    unknownCallId: unknown?.calls.findLast(({ tool }) => tool === UNKNOWN_TOOL)?.id,
    keptUnder: terms.keptUnder,
    toldAs,
    answered(step) {
      const calls = step.calls.map((call) => ({ ...call, tool: toldAs(call.tool) }));
      const [action] = calls.length === 0 ? (shown?.read(step.text, "answer", work) ?? []) : [];
      if (action !== undefined) return { ...step, ...action };
      if (calls.length > 0 || demanded.kind !== "schema") return { ...step, calls };
      const call =
        (nextStep && calledStep(nextStep, step.text, work)) ??
        carriedCall(demanded.schema, jsonValue(step.text, work), work);
      return call === undefined ? step : { ...step, calls: [call], text: "" };
    },
    unread: terms.unread?.slice(0, MAX_KIND).toWellFormed(),
    samplingKey: [model, ...sampling].map((one) => (isObject(one) ? "object" : String(one))).join("\u0000"),
    work,
    field: (path) => memberAt(body, path),
    continuing: undefined,
    standIn:
      threads && (threads.always || previousAnswerId !== undefined)
        ? (unanswered, step) => jsonText(threads.substitutes(unanswered, step, tools)) ?? "[]"
        : undefined,
    wire: { ...source, told, turns: places.map((place) => told[place]?.at ?? -1), isPrompt },
  };
}

/** Some clients tell a tool by another name: `lookup`, `P-lookup` for `P__lookup`. It goes by the one whose last words are the same. */
function namesIn({ steps }: Conversation, tools: ParsedRequest["tools"]): (tool: string) => string {
  const names = new Set(steps.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const offered = new Set(tools.map(({ name }) => name));
  const words = (name: string) => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const endsAlike = (one: readonly string[], other: readonly string[]) =>
    one.length > 0 && one.every((word, index) => word === other[other.length - one.length + index]);
  return (tool) => {
    if (names.has(tool)) return tool;
    const own = words(tool);
    const [same, another] = [...names].filter((name) => {
      const isOther = offered.has(name) && offered.has(tool);
      return !isOther && (endsAlike(own, words(name)) || endsAlike(words(name), own));
    });
    return same === undefined || another !== undefined ? tool : same;
  };
}

const MAX_KIND = 48;

function deltaOf(endpoints: readonly RegExp[], { list, history, delta }: RequestFormat): RequestDelta {
  const { comparable = (body) => body, resultKey, goesOn, mayStandAlone } = delta;
  return {
    comparable,
    variant(target) {
      const { model, streams } = saidInTarget(endpoints, target);
      return model === undefined && streams === undefined ? "" : `${model} ${streams}`;
    },
    newestCallIds: (body) => textsFromEnd(body, resultKey),
    endOfMessages: (body, request) => (goesOn?.(request.wire.body) ? undefined : endOfElements(body, list)),
    stepsBetween(body, from, to, work = requestWork()) {
      const added = addedElements(body, from, to, work);
      if (added === undefined || mayStandAlone?.(added) === false) return undefined;
      const messages = history({ [list]: added }).map(({ message }) => message);
      return standsAlone(messages) ? historyOf(messages, work).conversation.steps : undefined;
    },
  };
}

/** It begins with an answer, tells only of its own calls, and changes no instruction: read alone it is what it is in its place. */
function standsAlone(messages: readonly (Message | undefined)[]): boolean {
  if (messages[0]?.part !== "assistant") return false;
  const called = new Set<string>();
  return messages.every((message) => {
    if (message?.part === "assistant") for (const { id = "", tool } of message.calls) called.add(id).add(`of ${tool}`);
    if (message?.part !== "result") return message?.part !== "instruction";
    const key = message.id ?? (message.tool === undefined ? undefined : `of ${message.tool}`);
    return key === undefined || called.has(key);
  });
}

export function saidInTarget(endpoints: readonly RegExp[], target: string) {
  const [path = ""] = target.split("?", 1);
  const { groups = {} } = endpoints.map((endpoint) => endpoint.exec(path)).find((one) => one !== null) ?? {};
  return {
    model: groups.model && decoded(groups.model),
    streams: "stream" in groups ? groups.stream !== undefined : undefined,
  };
}

export function targetFor(target: string, model: string): string {
  return target.replace(/^([^?]*\/)[^/:?]+(?=:[^/?]*(?:\?|$))/, (_, before) => before + encodeURIComponent(model));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function offeredTool(name: Json, description: Json, schema: Json): readonly OfferedTool[] {
  const [named, about] = [nonEmpty(name), nonEmpty(description)];
  if (named === undefined) return [];
  const hasSchema = schema !== undefined && schema !== null;
  return [{ name: named, ...(about && { description: about }), ...(hasSchema && { schema }) }];
}

export function forcedCall(choice: Json): ParsedRequest["toolChoice"] {
  if (choice === "required" || choice === "any") return "any";
  const { type, mode, name, function: called, custom, allowed_tools } = objectIn(choice);
  if (type === "any") return "any";
  if (type === "allowed_tools") return (mode ?? objectIn(allowed_tools).mode) === "required" ? "any" : undefined;
  const tool = nonEmpty(name) ?? nonEmpty(objectIn(called).name) ?? nonEmpty(objectIn(custom).name);
  return tool === undefined ? undefined : { tool };
}

export function formatOf(type: Json, schema: Json): AnswerFormat {
  if (type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return { kind: type === "json_object" || type === "json_schema" ? "json" : "text" };
}

export function contentText(content: Json): string {
  if (typeof content === "string") return cutText(content);
  if (Array.isArray(content)) return joinTexts(content.map(partText));
  return content === null || content === undefined ? "" : cutText(partText(content));
}

/** A user's message: what came back for calls, each by itself, and all that is said beside it. */
export function heardIn<Part>(parts: readonly Part[], read: (part: Part) => Message | string): readonly Message[] {
  const told = parts.map(read);
  const results = told.filter((one) => typeof one !== "string");
  const text = joinTexts(told.filter((one) => typeof one === "string" && one.trim() !== "") as string[]);
  return text === "" ? results : [...results, { part: "user", text }];
}

/** What no model reads, and what is new each time. */
const UNREADABLE = new Set(["cache_control", "encrypted_content", "encrypted_index", "encrypted_stdout"]);

const MEDIUM = /^(?:input_)?(image|audio|file|document)(?:_url)?$/;

export function partText(part: Json): string {
  if (part === null) return "";
  if (!isObject(part)) return stringIn(part) ?? jsonText(part) ?? "";
  const medium = part.type === "computer_screenshot" ? "image" : MEDIUM.exec(stringIn(part.type) ?? "")?.[1];
  const text = stringIn(part.text) ?? stringIn(part.refusal);
  const given: JsonObject = { ...part, ...objectIn(part.file), ...objectIn(part.source) };
  const { image_url: image, input_audio: audio, data, url, file_id, file_url, file_data, filename } = given;
  const inner = [image, objectIn(image).url, objectIn(audio).data, data, url, file_id, file_url, file_data, filename];
  const found = inner.find((one) => typeof one === "string");
  const isTold = medium === undefined || (found === undefined && medium !== "image" && medium !== "audio");
  const readable = () => Object.fromEntries(Object.entries(part).filter(([key]) => !UNREADABLE.has(key)));
  if (isTold) return text ?? jsonText(readable()) ?? "";
  return `[${medium}${likeness(found)}]${text === undefined ? "" : ` ${text}`}`;
}

const SAMPLES = 1024;

/** A few letters that differ when the data does. Samples, because screenshots are megabytes; compressed data differs throughout. */
export function likeness(data: Json): string {
  if (typeof data !== "string") return "";
  const stride = Math.max(1, Math.floor(data.length / SAMPLES));
  let hash = data.length;
  for (let at = 0; at < data.length; at += stride) hash = Math.imul(hash ^ data.charCodeAt(at), 16_777_619);
  // Letters alone, lest anything take it for a number or an id.
  return ` ${(hash >>> 0).toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`;
}
