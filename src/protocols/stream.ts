import type { Outcome } from "../step.ts";
import type { Framing, StreamEvent } from "./framing.ts";
import type { Opaque, Usage } from "./protocol.ts";

/** A neutral piece of a streamed answer: all that is assembled, held back, listened to and tallied is so over these. */
export type StreamPart =
  /** The answer has begun. Comes again if its id is told later. */
  | { readonly kind: "start"; readonly id: string | undefined; readonly model?: string | undefined }
  /** Never empty. A refusal is read by its reader as text is; reasoning is not. */
  | { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }
  /** Reasoning begins that the API takes back only together with what it led to: the words or the call behind it. */
  | { readonly kind: "thought" }
  /**
   * A call begins: before any of its other parts. Comes again if its id or tool is told later. `call` names it within the
   * answer; `index` is its place among the calls where that is not the order of their beginnings. Tool "" if not known yet.
   */
  | {
      readonly kind: "call-start";
      readonly call: number;
      readonly index?: number;
      readonly id: string | undefined;
      readonly tool: string;
      /** The API carries it out itself. */
      readonly isHosted?: true;
    }
  /** More of a call's arguments; never empty. */
  | { readonly kind: "call-args"; readonly call: number; readonly text: string }
  /** What came back for a call that the upstream carried out itself. */
  | { readonly kind: "call-result"; readonly call: number; readonly outcome: Outcome }
  /** All that was counted so far: the latest one holds. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "finish"; readonly reason: string }
  /** The wire's own mark that the answer is complete; nothing behind it counts. */
  | { readonly kind: "end" }
  /** Says nothing but that the connection is alive: passes at once, out of order. */
  | { readonly kind: "keepalive" }
  /** The upstream failed: this is no complete answer. */
  | { readonly kind: "error" };

/** Turns the events of one stream into parts, in order; where it goes on with another stream, its events into events of that one. */
export interface StreamDecoder {
  readonly framing: Framing;
  /** The reader has the beginning of the stream already. */
  readonly hasBegun: boolean;
  /** It goes on with another stream, or takes its place: what it makes must be sound by itself. */
  readonly continues: boolean;
  /** None for an event that says nothing to us. Undefined: it is no event of this format, or only half of one. */
  decode(event: StreamEvent): readonly StreamPart[] | undefined;
  /**
   * The events that the reader is to get in the place of this one (none: it is left out), each of which is decoded next.
   * Undefined: it passes as it is, byte for byte. Fields that are not understood survive, so this maps events and not parts.
   */
  encode(event: StreamEvent): readonly StreamEvent[] | undefined;
  /** The stream up to and including the last event that was decoded. */
  state(): StreamState;
}

/** How far a stream has come, as its format needs it to go on with it or to end it. Immutable. */
export interface StreamState extends Opaque {}

/** What a begun call's arguments lack of being JSON; to be left out where its input is free text. */
export interface ArgsCompletion {
  readonly call: number;
  readonly text: string;
}
