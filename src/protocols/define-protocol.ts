import { type Conversation, type Step, UNKNOWN_TOOL } from "../step.ts";
import { type ActionCarrier, carriedCall, carrierOf, habitsOf, type Message } from "./dialects/dialects.ts";
import { continuedText, MOST_SHOWN } from "./answer/continued-text.ts";
import { finalMessageOf } from "./final-message.ts";
import type { StreamEvent } from "./framing.ts";
import {
  addedElements,
  endOfElements,
  isObject,
  type LocatedValue,
  memberAt,
  parseForReading,
  parseJson,
  placedWithin,
  type Splice,
  spliced,
  stringIn,
  textsFromEnd,
} from "./json/json.ts";
import {
  type AnswerFormat,
  type Edit,
  opaque,
  type ParsedRequest,
  type Protocol,
  type Reply,
  type RequestDelta,
  type StreamDecoder,
  type StreamPart,
  type StreamState,
} from "./protocol.ts";
import {
  type EditRecord,
  type FinishFormat,
  type FormatRequest,
  type LocatedBody,
  locatedBody,
  type RequestBody,
  saidInTarget,
  type StreamContinuation,
  targetForModel,
  type WireFormat,
} from "./wire-format.ts";

/** A protocol of what one wire format has of its own: all that formats have in common is done here. */
export function defineProtocol<Own, Progress>(format: WireFormat<Own, Progress>): Protocol {
  const { name, path, endpoints, refusalStatus, framing, requests, edits, threads, answers, replies, streams } = format;
  const wire = opaque<FormatRequest<Own>>();
  const states = opaque<StreamStop<Progress>, StreamState>();
  const parsed = requestReader(format, wire.hide);
  return {
    name,
    path,
    refersToAnswers: threads !== undefined,
    refusalStatus,
    framing,
    endpoints,
    recognises: requests.recognises,
    parse(text, target = "") {
      const body = parseForReading(text);
      return isObject(body) && requests.isRequest(body) ? parsed({ text, body, target }, undefined) : undefined;
    },
    delta: deltaOf(format, (request) => wire.show(request.wire)),
    rewrite: (request, changes) => rewritten(edits, wire.show(request.wire), changes),
    readAnswer(json) {
      const answer = parseJson(json);
      return isObject(answer) ? answers.read(answer) : undefined;
    },
    decoder: (target = "") => streamDecoder(format, { target }, states.hide),
    resume(state, used) {
      const [first, before] = [state && states.show(state), used && states.show(used)];
      const { target = "" } = first ?? before ?? {};
      const said = first?.said ?? "";
      const continuation = streams.resume(first?.progress, before?.progress, continuedText(said));
      return streamDecoder(format, { target, said, continuation, hasBegun: first !== undefined }, states.hide);
    },
    finish: (state, rests, acts) => streams.finish(states.show(state).progress, rests, acts),
    addUsage: answers.addUsage,
    reply(request, final, stamp): Reply {
      const shown = wire.show(request.wire);
      const { whole, events } = replies.write(finalMessageOf(request, final), request, shown, stamp);
      if (!request.streams) return { contentType: "application/json", body: JSON.stringify(whole) };
      const { contentType, write } = framing(request.target);
      return { contentType, body: write(events, { begins: true, ends: true }) };
    },
    error(failure, as, target = ""): Reply {
      const { body, event } = replies.error(failure);
      if (as === "body") return { contentType: "application/json", body: JSON.stringify(body) };
      const { contentType, write } = framing(target);
      return { contentType, body: write([event], { begins: true, ends: true }) };
    },
    question(question, target) {
      const said = saidInTarget(endpoints, target);
      const body = JSON.stringify(format.question(question, said));
      return { target: targetForModel(target, said, question.model), body };
    },
  };
}

/** Where a stream stands: how far it has come, the end of what it has said, and the URL that tells its framing. */
interface StreamStop<Progress> {
  readonly target: string;
  readonly said: string;
  readonly progress: Progress;
}

function requestReader<Own>(
  { endpoints, requests, threads }: Pick<WireFormat<Own, unknown>, "endpoints" | "requests" | "threads">,
  hide: (request: FormatRequest<Own>) => ParsedRequest["wire"],
) {
  return function parsed(source: RequestBody, previous: Message | undefined): ParsedRequest {
    const { body, target } = source;
    const { messages, history, tools, hasTools, toolChoice, format, own, ...reading } = requests.read(body, previous);
    const habits = habitsOf(messages, history, hasTools, format);
    const urlFacts = saidInTarget(endpoints, target);
    const sampling = requests.sampling.map((path) => scalarText(memberAt(body, path.split("."))));
    const shown: FormatRequest<Own> = { own, ...source };
    const { previousAnswerId } = reading;
    const unknownCallId = threads && newestUnknownCall(history.conversation);
    const request: ParsedRequest = {
      target,
      model: urlFacts.model ?? stringIn(body.model),
      streams: urlFacts.streams ?? requests.streams(body),
      tools,
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...habits,
      alternatives: reading.alternatives,
      conversation: history.conversation,
      previousAnswerId,
      unknownCallId,
      keptUnder: reading.keptUnder,
      answered: (step) => answeredStep(step, format),
      unread: reading.unread?.slice(0, MAX_KIND).toWellFormed(),
      samplingKey: (urlFacts.model === undefined ? sampling : [urlFacts.model, ...sampling]).join("\u0000"),
      field: (path) => memberAt(body, path),
      continuing: undefined,
      standIn:
        threads && (threads.always || previousAnswerId !== undefined)
          ? (unanswered, step) => threads.substituteItems(unanswered, step, tools)
          : undefined,
      wire: hide(shown),
    };
    if (threads === undefined || (previousAnswerId ?? unknownCallId) === undefined) return request;
    return {
      ...request,
      continuing: (turn, task) => threads.behindTurn(request, shown, turn, task, { reread: parsed, hide }),
    };
  };
}

function newestUnknownCall({ steps }: Conversation): string | undefined {
  const newest = steps.findLast(({ calls }) => calls.some(({ tool }) => tool === UNKNOWN_TOOL));
  return newest?.calls.findLast(({ tool }) => tool === UNKNOWN_TOOL)?.id;
}

function answeredStep(step: Step, format: AnswerFormat): Step {
  if (format.kind !== "schema" || step.calls.length > 0) return step;
  const call = carriedCall(format.schema, parseJson(step.text));
  return call === undefined ? step : { ...step, calls: [call], text: "" };
}

/** In characters: clients write what they like. */
const MAX_KIND = 48;

/** None of them is an object: one would be of any depth. */
function scalarText(value: unknown): string {
  return typeof value === "object" && value !== null ? "object" : String(value);
}

function deltaOf<Own>(
  { delta, endpoints }: Pick<WireFormat<Own, unknown>, "delta" | "endpoints">,
  show: (request: ParsedRequest) => FormatRequest<Own>,
): RequestDelta {
  const { comparable, list, resultKey, members, steps } = delta;
  return {
    comparable,
    variant(target) {
      const { model, streams } = saidInTarget(endpoints, target);
      return model === undefined && streams === undefined ? "" : `${model} ${streams}`;
    },
    newestCallIds: (body) => (resultKey === undefined ? [] : textsFromEnd(body, resultKey)),
    endOfMessages(body, request) {
      const names = members(show(request).body, body);
      return names && endOfElements(body, names.length - 1 - names.indexOf(list));
    },
    stepsBetween(body, from, to) {
      const added = addedElements(body, from, to);
      return added && steps(added);
    },
  };
}

interface StreamTerms<Progress> {
  readonly target: string;
  /** What its reader has of the stream that it goes on with. */
  readonly said?: string;
  /** Set where it goes on with another stream, or takes its place. */
  readonly continuation?: StreamContinuation<Progress>;
  readonly hasBegun?: boolean;
}

function streamDecoder<Progress>(
  { framing: framingAt, streams }: Pick<WireFormat<unknown, Progress>, "framing" | "streams">,
  { target, said: before = "", continuation, hasBegun = false }: StreamTerms<Progress>,
  hide: (stop: StreamStop<Progress>) => StreamState,
): StreamDecoder {
  const { endMark, notBegun } = streams;
  const framing = framingAt(target);
  const reading = streams.reading(continuation?.from ?? notBegun);
  let said = before;
  const heard = (parts: readonly StreamPart[]): readonly StreamPart[] => {
    for (const part of parts) if (part.kind === "text") said += part.text;
    if (said.length > 2 * MOST_SHOWN) said = said.slice(-MOST_SHOWN);
    return parts;
  };
  return {
    framing,
    hasBegun,
    continues: continuation !== undefined,
    decode({ event, data }) {
      if (isMark(data, endMark)) return END;
      const nextEvent = parseJson(data);
      return isObject(nextEvent) ? heard(reading.take(nextEvent, event)) : undefined;
    },
    encode({ event, data }: StreamEvent) {
      const nextEvent = continuation && parseJson(data);
      return isObject(nextEvent) ? continuation?.encode(nextEvent, event) : undefined;
    },
    state: () => hide({ target, said, progress: reading.progress() }),
  };
}

const END: readonly StreamPart[] = [{ kind: "end" }];

/** Blanks around a mark are the server's affair, but an event is longer than any of them. In characters. */
const MAX_MARK = 64;

function isMark(data: string, mark: string | undefined): boolean {
  return mark !== undefined && data.length < MAX_MARK && data.trim() === mark;
}

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
function rewritten<Own>(
  { instructions, instruct, note, finish: finishFormat }: EditRecord<Own>,
  { text, own }: FormatRequest<Own>,
  edits: readonly Edit[],
): string {
  const located = edits.length === 0 ? undefined : locatedBody(text);
  if (located === undefined) return text;
  const preambles = new Set(edits.flatMap((edit) => (edit.kind === "preamble" && edit.text !== "" ? [edit.text] : [])));
  const systemTexts = preambles.size === 0 ? [] : instructions(located);
  const missing = [...preambles].filter((one) => !systemTexts.some((prompt) => prompt.includes(one)));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const splices = [
    ...(missing.length === 0 ? [] : instruct(located, missing)),
    ...(notes.length === 0 ? [] : note(located, notes, own)),
    ...(finish === undefined ? [] : finishSplices(finishFormat, located, finish.tool)),
  ];
  return spliced(text, splices, { start: 0, end: text.length });
}

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
function finishSplices(
  { offers, mayNarrow, silence, schemas }: FinishFormat,
  located: LocatedBody,
  done: string | undefined,
): readonly Splice[] {
  const { text, body, span } = located;
  const tools = offers(located);
  const named = tools.find(({ name }) => done !== undefined && name === done);
  if (named !== undefined) return mayNarrow(located) ? named.alone([]) : [];
  // The agent's one tool for all it does is kept, but with no other action than the last.
  for (const tool of tools) {
    const narrowing = narrowed(text, tool.schema, done);
    if (narrowing !== undefined) return mayNarrow(located) ? tool.alone(narrowing) : [];
  }
  const schema = schemas.map((path) => placedWithin(text, { value: body, span }, path));
  const formats = schema.map((place) => narrowed(text, place, done)).find((one) => one !== undefined);
  return [...silence(located), ...(formats ?? [])];
}

/** Leaves the last action alone in a schema that carries actions; undefined where it carries none of this name. */
function narrowed(
  text: string,
  schema: LocatedValue<unknown> | undefined,
  done: string | undefined,
): readonly Splice[] | undefined {
  const carrier = carrierOf(schema?.value, done);
  return schema === undefined || carrier === undefined ? undefined : narrowing(text, schema, carrier);
}

function narrowing(text: string, schema: LocatedValue<unknown>, { path, last }: ActionCarrier): readonly Splice[] {
  const place = placedWithin(text, schema, ["properties", ...path]);
  return place === undefined || last === undefined ? [] : [{ ...place.span, text: JSON.stringify(last) }];
}
