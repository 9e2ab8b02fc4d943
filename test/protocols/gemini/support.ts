import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import type { ParsedRequest, StreamPart } from "../../../src/protocols/protocol.ts";

export type Json = Readonly<Record<string, unknown>>;

export const at = (model = "gemini-2.5-flash", verb = "generateContent") => `/v1beta/models/${model}:${verb}`;

export const user = (...parts: readonly unknown[]): Json => ({ role: "user", parts });
export const said = (...parts: readonly unknown[]): Json => ({ role: "model", parts });
export const text = (words: string): Json => ({ text: words });

export function ask(contents: unknown, more: Json = {}, target = at()): ParsedRequest {
  const found = protocol.parse(JSON.stringify({ contents, ...more }), target);
  if (found === undefined) throw new Error("not understood");
  return found;
}

export function chunk(parts: readonly unknown[], more: Json = {}, candidate: Json = {}): string {
  return JSON.stringify({
    candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
    modelVersion: "m",
    responseId: "r1",
    ...more,
  });
}

export function partsOf(...chunks: readonly string[]): readonly StreamPart[] {
  const decoder = protocol.decoder(at());
  return chunks.flatMap((data) => decoder.decode({ event: undefined, data })?.parts ?? []);
}
