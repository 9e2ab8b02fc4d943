import type { Conversation, Step, Tool } from "../step.ts";

/** The shape that the client demands, or the agent's own habit implies, for a final answer. */
export type AnswerFormat =
  | { readonly kind: "text" }
  /** ReAct text: `Final Answer:`. */
  | { readonly kind: "react" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: unknown };

/** A tool as one request offers it. */
export interface OfferedTool extends Tool {
  /** Set where it is not called the usual way: with free text (`custom`), or by `function_call` (`legacy`). */
  readonly form?: "custom" | "legacy";
}

/** What one request asks for. Made from any JSON at all; what it does not say is absent. */
export interface Ask {
  readonly model: string | undefined;
  readonly streams: boolean;
  /** The client asked for a usage event at the end of the stream. */
  readonly wantsUsage: boolean;
  readonly tools: readonly OfferedTool[];
  readonly format: AnswerFormat;
  readonly conversation: Conversation;
  /** The request as it was parsed, for what is said in it beside the conversation. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A change to the upstream-bound copy of a request. */
export type Edit =
  /** Append `text` to the last tool result or user message that belongs to step `step` (index into the conversation's steps). */
  | { readonly kind: "note"; readonly step: number; readonly text: string }
  /** Let the model only finish: offer and choose `tool` alone, or, without one, forbid tools. */
  | { readonly kind: "finish"; readonly tool: string | undefined };

/** Tokens as the upstream counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
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

/** Puts an answer together from its bytes, in whatever pieces they come. */
export interface AnswerFold {
  push(bytes: Uint8Array): void;
  /** After the last byte. Undefined: this was no complete answer (an error, a cut stream, another shape). */
  end(): Answer | undefined;
}

/** Our own final answer, before it has a shape. */
export interface FinalAnswer {
  /** What is told to the agent, and through it to the person. */
  readonly text: string;
  /** The done tool to call, if the request offers one. */
  readonly doneTool: string | undefined;
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

/** One wire format, both ways. Pure: no clock, no chance, no network; never throws on any input. */
export interface Protocol {
  readonly name: string;
  /** Requests may refer to an earlier answer by its id instead of carrying their history. */
  readonly refersToAnswers: boolean;
  /** Undefined: not understood, let it pass. */
  read(body: string): Ask | undefined;
  /** Splices the edits into the original text; all else stays as it was, byte for byte. An edit with no place to go is left out. */
  rewrite(body: string, edits: readonly Edit[]): string;
  fold(contentType: string): AnswerFold;
  /** A complete, valid answer, as JSON or as an event stream, whichever the request asked for. */
  reply(ask: Ask, final: FinalAnswer, stamp: Stamp): Reply;
  /** An error body in the API's own shape. */
  error(error: { readonly code: string; readonly message: string; readonly type: string }): Reply;
}
