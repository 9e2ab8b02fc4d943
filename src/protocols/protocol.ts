import type { ErrorCode } from "../errors.ts";
import type { Call, Conversation, Outcome, Step, Tool } from "../step.ts";
import type { Pieces } from "../turns.ts";
import type { Work } from "../work.ts";
import type { DialectUse, Message } from "./dialects/dialect.ts";
import type { Framing, StreamEvent } from "./framing.ts";
import type { JsonObject, Json } from "./json/json.ts";

/** One wire format, both ways. Pure; never throws. A `target` is the path and query of a request, "" for what was sent to no URL. */
export interface Protocol {
  readonly name: ProtocolName;
  readonly path: string;
  /** Requests may refer to an earlier answer by its id instead of carrying their history. */
  readonly refersToAnswers: boolean;
  /** The status of an error that ends a run: one that no client of this format sends its request again for. */
  readonly refusalStatus: 400 | 402;
  /** Paths without the query. A group `model` is the model; a group `stream` takes part in the match if the answer streams. */
  readonly endpoints: readonly RegExp[];
  recognises(body: Json): boolean;
  /** Undefined for what is not understood: it passes unguarded. */
  parse(body: string, target?: string, work?: Work): ParsedRequest | undefined;
  parseInPieces(body: string, target: string, work: Work): Pieces<ParsedRequest | undefined>;
  readonly delta: RequestDelta;
  /** All that no edit touches stays as it was, byte for byte. An edit with no place to go is left out. */
  rewrite(request: ParsedRequest, edits: readonly Edit[]): string;
  framing(target: string): Framing;
  decoder(target?: string): StreamDecoder;
  /** Another stream as the continuation of one that was stopped. @param shown the first, as its reader has it @param used as far as it came */
  resume(shown: StreamState | undefined, used: StreamState | undefined): StreamDecoder;
  /** The events that make a stream which is cut off here a valid answer. @param acts its calls are to be carried out */
  finish(state: StreamState, rests: readonly ArgsCompletion[], acts?: boolean): readonly StreamEvent[];
  /** A whole answer with the usage of an earlier one added to its own; all else byte for byte. */
  addUsage(earlier: string, answer: string): string;
  /** An answer with its text changed; as it is where the format cannot tell where that stands. */
  retold(
    answer: Uint8Array,
    how: { readonly contentType: string; readonly target: string },
    change: (text: string) => string,
  ): Uint8Array;
  /** @param withheld the upstream's answer in whose place it comes: what that says beside its content is kept */
  reply(request: ParsedRequest, final: FinalAnswer, stamp: Stamp, withheld?: StreamState | Uint8Array): Reply;
  error(failure: Failure, as: "body" | "event", target?: string): Reply;
  question(question: ModelQuestion, target: string): { readonly target: string; readonly body: string };
}

export interface ModelQuestion {
  readonly model: string;
  readonly system: string;
  readonly text: string;
  /** The schema of its answer, for chat completions alone; undefined where the endpoint takes none. */
  readonly answer: { readonly name: string; readonly schema: object } | undefined;
}

export type ProtocolName = "chat-completions" | "responses" | "messages" | "gemini" | "ollama";

export interface ParsedRequest {
  readonly target: string;
  readonly model: string | undefined;
  readonly streams: boolean;
  readonly tools: readonly OfferedTool[];
  /** Set where the client forces a call: of any tool, or of one. Its choice is never switched off. */
  readonly toolChoice?: "any" | { readonly tool: string };
  readonly format: AnswerFormat;
  readonly alternatives: boolean;
  readonly hasTextActions: boolean;
  readonly conversation: Conversation;
  /** The answer that this request goes on from, where it names one instead of carrying its history. */
  readonly previousAnswerId: string | undefined;
  /** The newest call of which it tells the outcome alone: what was called is known to who relayed it. */
  readonly unknownCallId: string | undefined;
  /** The same request with the turns told that it goes on from or refers to. Undefined where it carries its history. */
  readonly continuing: ((turn: PreviousTurn, task: string) => ParsedRequest) | undefined;
  /** What tells the upstream of an answer of ours: results for calls that will never have others, and what we have said. */
  readonly standIn: ((unanswered: readonly Call[], step: Step | undefined) => string) | undefined;
  /** The kind of the first entry that is not understood, in the format's own word. */
  readonly unread: string | undefined;
  /** Under which later requests go on from this one's answer, where that is not the answer's own id: a stored conversation. */
  readonly keptUnder: string | undefined;
  /** The name by which the history tells a tool that an answer calls. */
  readonly toldAs: (tool: string) => string;
  /** The step of an answer to it, as a later history tells it: where the schema of the answer names actions, its text is a call. */
  readonly answered: (step: Step) => Step;
  readonly samplingKey: string;
  readonly work: Work;
  field(path: readonly string[]): Json;
  readonly wire: RequestWire;
}

/** A request's body. Its text is complete; the texts in `body` are cut to what is read of them. */
export interface RequestBody {
  readonly text: string;
  readonly work: Work;
  readonly body: JsonObject;
  readonly target: string;
}

export interface RequestWire extends RequestBody {
  readonly told: NeutralHistory;
  /** For each step the index of the entry that tells it; -1 where none does. */
  readonly turns: readonly number[];
  readonly isPrompt: boolean;
}

/** What the history says, in order; undefined for an entry that is not understood. `at`: its index, -1 for what stands in none. */
export type NeutralHistory = readonly { readonly message: Message | undefined; readonly at: number }[];

export interface PreviousTurn extends Pick<Step, "calls" | "text"> {
  /** Turns before it, as far as they are known, where the request refers to them. */
  readonly earlier?: readonly Pick<Step, "calls" | "text">[] | undefined;
  /** Set where its client knows it by a name that the upstream does not: the upstream's own, and what comes before the rest. */
  readonly standIn?: { readonly answerId: string; readonly items: string } | undefined;
}

export interface OfferedTool extends Tool {
  readonly description?: string;
  /** Set where it is called with free text in the place of JSON. */
  readonly form?: "custom";
}

/** The shape that the client demands, or the agent's own habit implies, for a final answer. */
export type AnswerFormat =
  /** `isAsIs`: not even what the instructions ask for changes it. */
  | { readonly kind: "text"; readonly isAsIs?: true }
  | ({ readonly kind: "dialect" } & DialectUse)
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: Json };

/** What a request adds to the one before it in its thread, read without parsing the rest; nothing where that is not certain. Offsets are in bytes. */
export interface RequestDelta {
  /** The body without what clients change from request to request though it says nothing: valid JSON, and what all offsets are into. */
  comparable(body: Uint8Array): Uint8Array;
  variant(target: string): string;
  /** Ids of the calls whose outcomes the body tells, the newest first: hints which thread it belongs to. */
  newestCallIds(body: Uint8Array): Iterable<string>;
  /** @param request the same body, parsed */
  endOfMessages(body: Uint8Array, request: ParsedRequest): number | undefined;
  /** The steps that the messages between two offsets add to a history in which every call is answered. */
  stepsBetween(body: Uint8Array, from: number, to: number, work?: Work): readonly Step[] | undefined;
}

export type Edit =
  /** Append `text` to what came back for a step, or to the result of this call; `atEnd`: to the last message. */
  | {
      readonly kind: "note";
      readonly step: number;
      readonly call?: string;
      readonly atEnd?: true;
      readonly text: string;
    }
  | { readonly kind: "preamble"; readonly text: string }
  /** Let the model only finish: choose `tool` alone, or, where that is an action which another tool or the answer carries, that alone. */
  | { readonly kind: "finish"; readonly tool: string | undefined }
  | { readonly kind: "begin"; readonly text: string };

export interface Answer {
  readonly id: string | undefined;
  /** It has heard nothing yet, and of its calls only those of server-side tools have outcomes. */
  readonly step: Step;
  readonly finishReason: string | undefined;
  readonly usage: Usage | undefined;
  readonly model?: string | undefined;
}

/** Tokens as the upstream counted them, as OpenAI counts: those read from a cache and written to one are input tokens, too. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
}

export interface FinalAnswer {
  readonly text: string;
  readonly doneTool: string | undefined;
  /** The run has reached its goal; without it a field for that says no. */
  readonly succeeded?: boolean;
  readonly call?: Pick<Call, "tool" | "args">;
}

export type Stamp = { readonly id: string; readonly created: number };

export type Reply = { readonly contentType: string; readonly body: string };

export type Failure = { readonly code: ErrorCode; readonly status: number; readonly message: string };

/** A neutral piece of a streamed answer: all that is assembled, held back, listened to and tallied is so over these. */
export type StreamPart =
  /** Comes again if the answer's id is told later. */
  | { readonly kind: "start"; readonly id: string | undefined; readonly model?: string | undefined }
  | { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }
  /** Reasoning begins that the API takes back only together with what it led to: the words or the call behind it. */
  | { readonly kind: "thought" }
  /** Comes again if its id or tool ("" if not known yet) is told later. `index`: its place among the calls where that is another. */
  | {
      readonly kind: "call-start";
      readonly call: number;
      readonly index?: number;
      readonly id: string | undefined;
      readonly tool: string;
      readonly isHosted?: true;
    }
  | { readonly kind: "call-args"; readonly call: number; readonly text: string }
  | { readonly kind: "call-result"; readonly call: number; readonly outcome: Outcome }
  /** All that was counted so far: the latest one holds. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "finish"; readonly reason: string }
  /** The answer is complete: nothing behind it counts. */
  | { readonly kind: "end" }
  /** Says nothing but that the connection is alive: passes at once, out of order. */
  | { readonly kind: "keepalive" }
  | { readonly kind: "error" };

export interface StreamDecoder {
  readonly framing: Framing;
  readonly hasBegun: boolean;
  /** It goes on with another stream, or takes its place: what it makes must be sound by itself. */
  readonly continues: boolean;
  /** Undefined: it is no event of this format, or only half of one. */
  decode(event: StreamEvent): DecodedEvent | undefined;
  state(): StreamState;
}

export interface DecodedEvent {
  readonly parts: readonly StreamPart[];
  /** The events that the reader gets in its place; undefined: it passes byte for byte. Fields that are not understood survive. */
  readonly events?: readonly StreamEvent[] | undefined;
}

/** How far a stream has come, as its format needs it to go on with it or to end it. Immutable. */
export interface StreamState {
  readonly target: string;
  readonly said: string;
  readonly usage: JsonObject | undefined;
  readonly finished: boolean;
  readonly progress: Json;
}

/** What a begun call's arguments lack of being JSON; to be left out where its input is free text. */
export type ArgsCompletion = { readonly call: number; readonly text: string };
