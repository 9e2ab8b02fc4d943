import { z } from "zod";
import type { RawAnswer, ScriptedCall } from "./scripted-answer.ts";
import type { Heard, ModelView, Wire } from "./wire.ts";

type Members = Readonly<ReturnType<typeof Object>>;

export const objectsIn = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(Object) : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

export function forcedBy(choice: unknown): ModelView["forced"] {
  const { name } = Object(choice);
  if (typeof name === "string") return { tool: name };
  return choice === "none" ? "none" : undefined;
}

/** What a model says, its calls with ids. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly Required<ScriptedCall>[];
}

/** @param failed an error's body @param written an answer, as JSON or as a stream */
export function renderedBy(
  failed: (message: string, status: number) => object,
  written: (turn: Turn, view: ModelView, nextId: () => string) => RawAnswer,
  {
    type,
    indent,
    callId = "call",
  }: { readonly type?: string; readonly indent?: number; readonly callId?: string } = {},
): Wire["rendered"] {
  return (answer, view, nextId) => {
    if (answer.kind === "raw") return answer;
    if (answer.kind === "error") return jsonAnswer(answer.status, failed(answer.message, answer.status), type, indent);
    const { text = "" } = answer;
    const calls = answer.kind === "calls" ? answer.calls : [];
    return written({ text, calls: calls.map((call) => ({ id: `${callId}_${nextId()}`, ...call })) }, view, nextId);
  };
}

export function jsonAnswer(status: number, value: object, type = "application/json", indent?: number): RawAnswer {
  const pieces = [JSON.stringify(value, undefined, indent)];
  return { kind: "raw", status, fields: { "content-type": type }, pieces, ending: "end" };
}

export function streamAnswer(pieces: readonly string[], type = "text/event-stream; charset=utf-8"): RawAnswer {
  const fields = { "content-type": type, "cache-control": "no-cache" };
  return { kind: "raw", status: 200, fields, pieces, ending: "end" };
}

export const inPieces = (text: string): string[] => text.match(/.{1,9}/gsu) ?? [];

/** Four characters a token is the usual rule of thumb: enough for numbers that grow as real ones do. */
export const tokensOf = (value: unknown): number => Math.ceil((JSON.stringify(value)?.length ?? 0) / 4);

export const nothing: Heard = { id: undefined, text: "", calls: [], finish: undefined, usage: undefined, entries: [] };

/** What OpenAI's APIs say of a failure. */
export const failure = z.object({
  error: z.object({ message: z.string(), type: z.string().optional(), code: z.string().nullish() }),
});

export function errorOf({ message, type, code }: Partial<z.infer<typeof failure>["error"]> & { message: string }) {
  return { message, ...(type && { type }), ...(code && { code }) };
}

export function strictly(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`This answer breaks a rule: ${rule}.`);
}

/** Call ids make two runs of the same task differ, so no two upstreams may share any. */
export function idMaker(): () => string {
  const instance = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  let count = 0;
  return () => `42${instance}_${String(++count).padStart(4, "0")}`;
}
