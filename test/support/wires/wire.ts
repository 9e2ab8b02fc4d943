import type { ProtocolName } from "../../../src/protocols/protocols.ts";
import type { RawAnswer, ScriptedAnswer } from "./scripted-answer.ts";

export type Said =
  | { readonly who: "user"; readonly text: string }
  /** A turn made up for the test: as a client would have kept it. */
  | { readonly who: "assistant"; readonly text?: string; readonly calls?: readonly SaidCall[] }
  /** A turn that was heard, exactly as its client keeps it. */
  | { readonly who: "heard"; readonly entries: readonly unknown[] }
  | { readonly who: "tool"; readonly id: string; readonly text: string };

export interface SaidCall {
  readonly id: string;
  readonly tool: string;
  /** JSON. */
  readonly args: string;
}

export interface SaidTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schemas by name; all of them required. */
  readonly properties: Readonly<Record<string, object>>;
}

/** One request of an agent, in no wire format. */
export interface Asking {
  readonly model?: string;
  readonly system?: string;
  readonly said: readonly Said[];
  readonly tools?: readonly SaidTool[];
  readonly stream?: boolean;
  /** A call is demanded, where the format can say so: of any tool, or of this one. */
  readonly demands?: "any" | { readonly tool: string };
  /** The JSON schema that an answer in words has to satisfy. */
  readonly schema?: object;
  /** Instead of the history, where the format can say so. */
  readonly previousAnswerId?: string;
}

/** What a scripted model takes notice of in a request. */
export interface ModelView {
  readonly raw: unknown;
  readonly model: string;
  readonly streams: boolean;
  /** The assistant's turns in the history. */
  readonly turns: number;
  /** All that the request tells, instructions and outcomes included, one text each. */
  readonly texts: readonly string[];
  /** The arguments of all calls in the history. */
  readonly called: readonly string[];
  readonly offered: readonly string[];
  /** `none`: no tool may be called; else the only one that may. */
  readonly forced: "none" | { readonly tool: string } | undefined;
}

export interface Heard {
  readonly id: string | undefined;
  readonly text: string;
  readonly calls: readonly SaidCall[];
  /** The wire's own word. */
  readonly finish: string | undefined;
  readonly usage: { readonly input: number; readonly output: number } | undefined;
  readonly entries: readonly unknown[];
  /** The error that came in its place, or that ended it. */
  readonly error?: { readonly code?: string; readonly type?: string; readonly message: string };
}

/** One wire format as the tests speak it, on both sides of the guard. A new format plugs into the contract with one of these. */
export interface Wire {
  readonly name: ProtocolName;
  readonly path: string;
  /** Header fields of every request. */
  readonly fields: Readonly<Record<string, string>>;
  /** A request's body. What is said comes last, so that two requests have their common beginning in common as text. */
  body(asking: Asking): object;
  /** Everything empty for what is no request of this format. */
  view(json: unknown): ModelView;
  /** Gives a scripted answer the shape that the request asks for: JSON or an event stream, keep-alives included. */
  rendered(answer: ScriptedAnswer, view: ModelView, nextId: () => string): RawAnswer;
  /** Reads an answer as a strict client does. @throws where it breaks a rule of the format */
  heard(text: string, contentType: string): Heard;
  /** What only keeps a stream alive; undefined where its framing has no such thing. */
  readonly keepAlive: string | undefined;
  /** Calls have ids, by which results find them in whatever order. */
  readonly namesCalls: boolean;
  /** A call's arguments come in pieces. */
  readonly streamsArguments: boolean;
  /** Of an error that ends a run. */
  readonly refusalStatus: number;
  /** Requests may refer to an answer instead of carrying the history. */
  readonly refersToAnswers: boolean;
}
