import { sseReader } from "../../src/sse/sse.ts";
import { FINAL } from "./script.ts";

/** What an agent goes on with. */
export interface Message {
  readonly content: string | null;
  readonly calls: readonly Call[];
}

export interface Call {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** An answer that was read, or what is wrong with it. */
export type Read = { readonly message: Message; readonly wrong: undefined } | { readonly wrong: string };

const MAX_EVENT_CHARS = 1_000_000;

/** The payload of an answer that came whole; the model writes the run into its ids. As strict as the strictest client: what any of them stumbles over is wrong. */
export function readAnswer(text: string, stream: boolean, run: string): Read {
  try {
    const { id, message } = stream ? streamed(text) : whole(text);
    const ids = [...message.calls.map((call) => call.id), ...(isOwn(message) ? [] : [id])];
    const stranger = ids.find((one) => !one.includes(`${run}_`));
    return stranger === undefined ? { message, wrong: undefined } : { wrong: `the id ${stranger} is not of this run` };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

/** An answer of the guard's own: an end, and not in the model's words. Its id and its text are the policy's matter. */
export const isOwn = ({ content, calls }: Message): boolean => calls.length === 0 && content?.endsWith(FINAL) !== true;

interface Told {
  readonly id: string;
  readonly message: Message;
}

function whole(text: string): Told {
  const { id, choices } = JSON.parse(text);
  const [{ message, finish_reason: end }] = choices;
  return { id, message: checked(message.content ?? null, message.tool_calls ?? [], end) };
}

function streamed(text: string): Told {
  const reader = sseReader(MAX_EVENT_CHARS);
  const events = reader.push(Buffer.from(text)) ?? [];
  if (reader.end().length > 0) throw new Error("an event without its end");
  if (events.filter(({ data }) => data === "[DONE]").length !== 1 || events.at(-1)?.data !== "[DONE]")
    throw new Error("no [DONE] at the end");
  const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data));
  const ids = new Set(chunks.map(({ id }) => id));
  if (ids.size !== 1) throw new Error(`${ids.size} ids in one stream`);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const ends = choices.flatMap(({ finish_reason: end }) => (end === null ? [] : [end]));
  if (ends.length !== 1 || choices.at(-1)?.finish_reason === null) throw new Error(`it finishes ${ends.length} times`);
  const content = choices.map(({ delta }) => delta.content ?? "").join("");
  const calls = joined(choices.flatMap(({ delta }) => delta.tool_calls ?? []));
  return { id: String([...ids][0]), message: checked(content, calls, ends[0]) };
}

interface Delta {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

function joined(deltas: readonly Delta[]): readonly Call[] {
  const calls: Call[] = [];
  for (const { index, id, type = "function", function: part = {} } of deltas) {
    const { name, arguments: args = "" } = part;
    const before = calls[index];
    if (before !== undefined) {
      if (id !== undefined && id !== before.id) throw new Error("two calls under one index");
      calls[index] = { ...before, function: { ...before.function, arguments: before.function.arguments + args } };
    } else if (id === undefined || name === undefined || index !== calls.length)
      throw new Error("a call in the middle");
    else calls.push({ id, type, function: { name, arguments: args } });
  }
  return calls;
}

function checked(content: string | null, calls: readonly Call[], end: unknown): Message {
  for (const call of calls) JSON.parse(call.function.arguments);
  if (end !== (calls.length > 0 ? "tool_calls" : "stop"))
    throw new Error(`${calls.length} calls, and it ends with ${end}`);
  if (calls.length === 0 && !content) throw new Error("nothing in it");
  return { content: content || null, calls };
}
