import type { Call, Step } from "../step.ts";
import type { ContinuedText } from "./answer/continued-text.ts";
import type { Message, ToldHistory } from "./dialects/dialects.ts";
import type { FinalMessage } from "./final-message.ts";
import type { Framing, StreamEvent } from "./framing.ts";
import type { JsonObject, LocatedBody, Splice } from "./json/json.ts";
import type { PlacedTool } from "./edits.ts";
import { type RequestBody, type SaidInTarget, targetFor as targetOf } from "./requests.ts";
import type {
  Answer,
  AnswerFormat,
  ArgsCompletion,
  Edit,
  Failure,
  ModelQuestion,
  OfferedTool,
  ParsedRequest,
  PreviousTurn,
  ProtocolName,
  Stamp,
  StreamPart,
} from "./protocol.ts";

/**
 * What one wire format has of its own; `defineProtocol` makes the rest of it. `Own` is what the format remembers of a request for
 * itself, `Progress` how far one of its streams has come.
 */
export interface WireFormat<Own, Progress> {
  readonly name: ProtocolName;
  /** The path of its own endpoint, as its maker's API has it. */
  readonly path: string;
  /**
   * Paths of all endpoints that speak it, without the query. Where the URL says it, a group named `model` is the model, and a
   * group named `stream` takes part in the match if the answer streams.
   */
  readonly endpoints: readonly RegExp[];
  readonly refusalStatus: 400 | 402;
  readonly framing: (target: string) => Framing;
  readonly requests: RequestRecord<Own>;
  readonly edits: EditRecord<Own>;
  readonly delta: DeltaRecord;
  /** Undefined where each request carries its history. */
  readonly threads: ThreadRecord<Own> | undefined;
  readonly answers: AnswersRecord;
  readonly streams: StreamFormat<Progress>;
  readonly replies: ReplyFormat<Own>;
  /** The body of a question of the guard's own. @param said what its URL says beside it */
  question(question: ModelQuestion, said: SaidInTarget): object;
}

export type { RequestBody } from "./requests.ts";

/** A request that was read: its body, and what its format remembers. */
export interface FormatRequest<Own> extends RequestBody {
  readonly own: Own;
}

export interface RequestRecord<Own> {
  /** Whether a recorded body is of this format; more particular formats are asked first. */
  recognises(body: unknown): boolean;
  /** Whether a body at an endpoint of this format is a request that can be read. */
  isRequest(body: JsonObject): boolean;
  /** Whether a body asks for a stream, where its URL does not say that. */
  streams(body: JsonObject): boolean;
  /** Members that make two requests with one history two different ones, by path: `metadata.user_id`. */
  readonly sampling: readonly string[];
  /** @param previous the turn that the request goes on from without carrying it */
  read(body: JsonObject, previous: Message | undefined): RequestReading<Own>;
}

/** Contents of a body, in neutral terms. */
export interface RequestReading<Own> {
  readonly messages: readonly (Message | undefined)[];
  readonly history: ToldHistory;
  readonly tools: readonly OfferedTool[];
  /** The agent is known to have tools, though this request may not tell them. */
  readonly hasTools: boolean;
  readonly toolChoice: ParsedRequest["toolChoice"];
  readonly format: AnswerFormat;
  /** Several alternative answers are asked for at once. */
  readonly alternatives: boolean;
  readonly previousAnswerId: string | undefined;
  readonly keptUnder: string | undefined;
  /** The kind of the first entry of its history that is not understood. */
  readonly unread?: string | undefined;
  readonly own: Own;
}

export interface EditRecord<Own> {
  /** Texts of the client's own instructions. */
  instructions(located: LocatedBody): readonly string[];
  /** Appends texts to the instructions; none of the texts stands there yet. */
  instruct(located: LocatedBody, texts: readonly string[]): readonly Splice[];
  note(located: LocatedBody, notes: readonly Note[], own: Own): readonly Splice[];
  readonly finish: FinishFormat;
}

export type Note = Extract<Edit, { kind: "note" }>;

export interface FinishFormat {
  /** The client's tools, as they stand in the request. */
  offers(located: LocatedBody): readonly PlacedTool[];
  /** Whether a tool may be offered alone: some APIs refuse that at times. */
  mayNarrow(located: LocatedBody): boolean;
  /** Forbids all tools; none where nothing is offered. */
  silence(located: LocatedBody): readonly Splice[];
  /** Paths at which a schema of the answer may stand. */
  readonly schemas: readonly (readonly string[])[];
}

export type { PlacedTool } from "./edits.ts";

export interface DeltaRecord {
  comparable(body: Uint8Array): Uint8Array;
  /** The member that lists the messages. */
  readonly list: string;
  /** The member of a message that names the call it brings the result of; undefined: calls have no ids. */
  readonly resultKey: string | undefined;
  /** The names of the members that stand in the comparable body, in order; undefined: what is added may belong to the last message. */
  members(body: JsonObject, comparable: Uint8Array): readonly string[] | undefined;
  /** The steps of added messages; undefined where alone they are not what they are in their place. */
  steps(messages: readonly unknown[]): readonly Step[] | undefined;
}

/** Functions that build a request from another one. */
export interface Rereading<Own> {
  /** Reads a text in the place of the request's, behind a turn that it does not carry. */
  reread(source: RequestBody, previous: Message | undefined): ParsedRequest;
  hide(shown: FormatRequest<Own>): ParsedRequest["wire"];
}

export interface ThreadRecord<Own> {
  /** The request with the turn that it goes on from in front of all it tells. @param task what the agent was last asked to do */
  behindTurn(
    request: ParsedRequest,
    shown: FormatRequest<Own>,
    turn: PreviousTurn,
    task: string,
    rereading: Rereading<Own>,
  ): ParsedRequest;
  /** Whether a request may be told of what its upstream has never heard, although it carries its history. */
  readonly always: boolean;
  /** What the upstream is to be told that has never heard of the answer that its client goes on from: messages, as JSON. */
  substituteItems(unanswered: readonly Call[], step: Step | undefined, tools: readonly OfferedTool[]): string;
}

export interface AnswersRecord {
  /** A whole answer; undefined for an error or another shape. */
  read(answer: JsonObject): Answer | undefined;
  addUsage(earlier: string, answer: string): string;
}

export interface StreamFormat<Progress> {
  /** Data that mark the end and are no JSON. */
  readonly endMark: string | undefined;
  readonly notBegun: Progress;
  /** Reads the events of one stream. */
  reading(from: Progress): StreamReading<Progress>;
  /** Makes a second stream go on where the first was stopped. @param used its usage is added to what the second reports @param words what it says is to go through this */
  resume(first: Progress | undefined, used: Progress | undefined, words: ContinuedText): StreamContinuation<Progress>;
  /** The events that end a stream which is cut off here. */
  finish(progress: Progress, rests: readonly ArgsCompletion[], acts?: boolean): readonly StreamEvent[];
}

export interface StreamReading<Progress> {
  /** @param name the event's own, where the framing has names */
  take(event: JsonObject, name: string | undefined): readonly StreamPart[];
  progress(): Progress;
}

export interface StreamContinuation<Progress> {
  readonly from: Progress;
  /** Undefined: it passes as it is. */
  encode(event: JsonObject, name: string | undefined): readonly StreamEvent[] | undefined;
}

export interface ReplyFormat<Own> {
  /** Our own final answer, whole and as the events of a stream. */
  write(message: FinalMessage, request: ParsedRequest, shown: FormatRequest<Own>, stamp: Stamp): WrittenReply;
  /** An error, and the event that ends a stream with it. */
  error(failure: Failure): { readonly body: unknown; readonly event: StreamEvent };
}

export interface WrittenReply {
  readonly whole: unknown;
  readonly events: readonly StreamEvent[];
}

export { type LocatedBody, locatedBody, memberSplice } from "./json/json.ts";
export { saidInTarget } from "./requests.ts";

/** The same URL for another model, where it tells one: in front of its colon. */
export function targetForModel(target: string, said: SaidInTarget, model: string): string {
  return said.model === undefined ? target : targetOf(target, model);
}
