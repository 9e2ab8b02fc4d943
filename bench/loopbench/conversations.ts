import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod";

/** What may be said about the newest turn, from the mildest to the hardest. */
export const verdicts = ["none", "nudge", "force", "end"] as const;
export type LoopVerdict = (typeof verdicts)[number];

/** A message of chat completions; what its role does not call for may be missing. */
export type LabelledMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** A labelled conversation of the benchmark. */
export interface Conversation {
  readonly id: string;
  /** Its text as a name that tells nothing of its label: 16 hex digits. */
  readonly key: string;
  /** The file that it comes from, without its ending. */
  readonly set: string;
  readonly family: string;
  readonly kind: string;
  readonly language: string;
  readonly messages: readonly LabelledMessage[];
  readonly tools: readonly unknown[];
  /** Somebody doubts the label: it counts towards no rate of finding or flagging. */
  readonly counts: boolean;
  readonly loops: boolean;
  /** Index of the assistant message from which on it loops; undefined where the label does not say. */
  readonly start: number | undefined;
  /** The hardest measure that can be argued for. */
  readonly worst?: "nudge";
}

export const messagesOf = z
  .array(z.looseObject({ role: z.string() }))
  .refine((messages) => messages.some(isTurn), "no turn of an assistant");

const row = z.looseObject({
  id: z.string().min(1),
  family: z.string().optional(),
  kind: z.string(),
  expect: z.enum(["loop", "ok"]),
  strength: z.enum(["hard", "soft"]),
  first_loop_turn: z.number().int().nonnegative().nullish(),
  worst: z.literal("nudge").optional(),
  lang: z.string().optional(),
  tools: z.array(z.unknown()).default([]),
  messages: messagesOf,
});

/** The set of a file is named as the file is. @throws Error with file and line for a row that breaks the format */
export async function readSet(file: string): Promise<readonly Conversation[]> {
  const set = basename(file).replace(/\.jsonl$/, "");
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line, at) => (line.trim() === "" ? [] : [conversationIn(line, set, `${file}:${at + 1}`)]));
}

function conversationIn(line: string, set: string, where: string): Conversation {
  const read = row.safeParse(jsonIn(line, where));
  if (!read.success) throw new Error(`${where} is no labelled conversation. ${z.prettifyError(read.error)}`);
  const { id, family = "-", kind, expect, strength, first_loop_turn, worst, lang, tools, messages } = read.data;
  return {
    id,
    key: createHash("sha256").update(JSON.stringify(messages)).digest("hex").slice(0, 16),
    set,
    family,
    kind,
    language: lang ?? "?",
    loops: expect === "loop",
    counts: strength === "hard",
    start: expect === "loop" ? (first_loop_turn ?? undefined) : undefined,
    ...(worst === undefined ? {} : { worst }),
    tools,
    messages,
  };
}

function jsonIn(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`${where} is not JSON.`, { cause: error });
  }
}

function isTurn({ role }: { readonly role: string }): boolean {
  return role === "assistant";
}

/** What a detector is shown after one turn. */
export interface Prefix {
  /** Index of the newest turn among the assistant's messages. */
  readonly turn: number;
  /** Up to and with what came back for that turn, and what was said to it. */
  readonly messages: readonly LabelledMessage[];
}

/** One prefix for each turn, as an agent would send it with its next request. */
export function* prefixesOf({ messages }: Pick<Conversation, "messages">): Generator<Prefix> {
  const turns = messages.flatMap((message, at) => (isTurn(message) ? [at] : []));
  for (const turn of turns.keys()) yield { turn, messages: messages.slice(0, turns[turn + 1] ?? messages.length) };
}
