import type { IncomingHttpHeaders } from "node:http";
import type { ModelView, Wire } from "../wires/wire.ts";

export interface ScriptedRequest {
  readonly method: string;
  readonly target: string;
  readonly fields: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly json: unknown;
  /** What a model takes notice of, whatever the wire format. */
  readonly view: ModelView;
}

export interface RecordedRequest extends ScriptedRequest {
  readonly answer: Buffer;
  readonly answerType: string;
  /** The client hung up before the answer's end. */
  readonly aborted: boolean;
}

export type Recording = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

export function recorded(
  asked: Pick<ScriptedRequest, "method" | "target" | "fields">,
  bytes: Buffer,
  wire: Wire,
): Recording {
  const json = parsed(bytes);
  return { ...asked, bytes, json, view: wire.view(json), answerType: "", answer: Buffer.of(), aborted: false };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
