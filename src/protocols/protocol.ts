import type { Call, Conversation, Step, Tool } from "../step.ts";
import type { Dialect } from "./dialects/dialects.ts";

/** The shape that the client demands, or the agent's own habit implies, for a final answer. */
export type AnswerFormat =
  | { readonly kind: "text" }
  /** The form in which the agent's own dialect ends. */
  | { readonly kind: "dialect"; readonly dialect: Dialect; readonly sample: string }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: unknown };

/** A tool as one request offers it. */
export interface OfferedTool extends Tool {
  /** Set where it is not called the usual way: with free text (`custom`), or by `function_call` (`legacy`). */
  readonly form?: "custom" | "legacy";
}

/** What one request asks for. Made from any JSON at all; what it does not say is absent. */
export interface ParsedRequest {
  readonly model: string | undefined;
  readonly streams: boolean;
  /** The client asked for a usage event at the end of the stream. */
  readonly wantsUsage: boolean;
  readonly tools: readonly OfferedTool[];
  readonly format: AnswerFormat;
  /** Several alternative answers are asked for at once. */
  readonly alternatives: boolean;
  /** The agent's latest actions were written as text, so its next ones will be. */
  readonly hasTextActions: boolean;
  /** Tools whose latest calls only carried the agent's actions: their names do not say what it does. */
  readonly wrapperTools: readonly string[];
  readonly conversation: Conversation;
  /** The request as it was parsed, for what is said in it beside the conversation. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A change to the upstream-bound copy of a request. */
export type Edit =
  /** Append `text` to the last tool result or user message that belongs to step `step` (index into the conversation's steps). */
  | { readonly kind: "note"; readonly step: number; readonly text: string }
  /** Append `text` to the system prompt, unless it is there already. */
  | { readonly kind: "preamble"; readonly text: string }
  /**
   * Let the model only finish: offer and choose `tool` alone; where that is an action which another tool or the answer's
   * format carries, leave no other action; without one, forbid tools.
   */
  | { readonly kind: "finish"; readonly tool: string | undefined };

/** Tokens as the upstream counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens, those that the upstream had in a cache; missing where there are none. */
  readonly cachedInputTokens?: number;
}

/** The upstream's answer, put together. */
export interface Answer {
  /** The upstream's name for it, which later requests may refer to. */
  readonly id: string | undefined;
  /** Its calls have no outcomes yet and it has heard nothing. */
  readonly step: Step;
  readonly finishReason: string | undefined;
  readonly usage: Usage | undefined;
}

/** Told what an answer says as it comes. `part` names the text that it goes on with: one of the answer's several. */
export type Listener = (part: string, text: string) => void;

/** Puts an answer together from its bytes, in whatever pieces they come. */
export interface AnswerFold {
  push(bytes: Uint8Array): void;
  /**
   * Ends a stream behind its latest whole event, whatever else has come or comes of it. Gives what it then lacks of a
   * valid answer: begun arguments closed, a finish, an end. Undefined where there is no stream, or nothing of it yet.
   */
  close(): string | undefined;
  /** After the last byte. Undefined: this was no complete answer (an error, a cut stream, another shape). */
  end(): Answer | undefined;
}

/** A part of a streamed answer that is passed on whole or not at all. */
export interface StreamSegment {
  readonly bytes: Uint8Array;
  /** `calls`: it tells what the assistant does; `words`: what it says or thinks; `frame`: neither. */
  readonly kind: "calls" | "words" | "frame";
  /** The tools whose calls begin in it. */
  readonly tools: readonly string[];
}

/** Takes a streamed answer apart, byte for byte; its pieces joined are the stream. */
export interface SplitStream {
  push(bytes: Uint8Array): readonly StreamSegment[];
  /** What has come since the last whole piece. */
  rest(): readonly StreamSegment[];
  /** How far the answer has come. */
  begun(): Begun;
}

/** A streamed answer that another one may have to go on with. */
export interface Begun {
  /** What each of its events repeats: its id, its model, its time. */
  readonly head: Readonly<Record<string, unknown>>;
  /** It said something before its calls. */
  readonly spoke: boolean;
  /** What it used, as the wire tells it. */
  readonly usage: Readonly<Record<string, unknown>> | undefined;
}

/** Our own final answer, before it has a shape. */
export interface FinalAnswer {
  /** What is told to the agent, and through it to the person. */
  readonly text: string;
  /** The done tool to call, or the action that ends the run, if the request offers one. */
  readonly doneTool: string | undefined;
  /** The run has reached its goal; without it a field for that says no. */
  readonly succeeded?: boolean;
  /** A call to make instead, so that the run goes on: of a tool that the request offers. */
  readonly call?: Pick<Call, "tool" | "args">;
}

/** What makes a reply unlike any other; given, so that replies are pure. */
export interface Stamp {
  /** Unique, letters and digits. */
  readonly id: string;
  /** Unix time, seconds. */
  readonly created: number;
}

export interface Reply {
  readonly contentType: string;
  readonly body: string;
}

/**
 * Reads of a request's body only what the request before it in its run has not carried. Bodies are UTF-8 JSON, offsets are
 * in bytes. Never throws, and what it gives is what `read` would: where that is not certain, it gives nothing.
 */
export interface RequestTail {
  /** The id of the newest call whose outcome it tells, found without reading the rest: a hint which run it belongs to. */
  newestCallId(body: Uint8Array): string | undefined;
  /** Where its messages end: right behind the last one. @param ask the same body, read */
  endOfMessages(body: Uint8Array, ask: ParsedRequest): number | undefined;
  /**
   * The steps that the messages between two offsets add to a history in which every call is answered. `from` is where the
   * earlier request's messages ended, `to` where what stood behind them begins. Undefined where only the whole body tells.
   */
  stepsBetween(body: Uint8Array, from: number, to: number): readonly Step[] | undefined;
}

/** One wire format, both ways. Pure: no clock, no chance, no network; never throws on any input. */
export interface Protocol {
  readonly name: string;
  /** Requests may refer to an earlier answer by its id instead of carrying their history. */
  readonly refersToAnswers: boolean;
  /** Undefined: not understood, let it pass. */
  read(body: string): ParsedRequest | undefined;
  readonly tail: RequestTail;
  /** Splices the edits into the original text; all else stays as it was, byte for byte. An edit with no place to go is left out. */
  rewrite(body: string, edits: readonly Edit[]): string;
  fold(contentType: string, listener?: Listener): AnswerFold;
  /** @param hasTextActions what is said may be what is done, so that words count as calls */
  pieces(hasTextActions: boolean): SplitStream;
  /**
   * The pieces of another stream, changed so that the two are one answer: one id, one role, all usage in one place.
   * @param seen the reader has the first one's pieces before its calls; else only usage is added up
   */
  continuing(begun: Begun, seen: boolean, actsInText: boolean): SplitStream;
  /** A whole answer with the usage of another one added to its own; all else byte for byte. */
  withUsageOf(earlier: string, answer: string): string;
  /** A complete, valid answer, as JSON or as an event stream, whichever the request asked for. */
  reply(ask: ParsedRequest, final: FinalAnswer, stamp: Stamp): Reply;
  /** An error body in the API's own shape. */
  error(error: { readonly code: string; readonly message: string; readonly type: string }): Reply;
}
