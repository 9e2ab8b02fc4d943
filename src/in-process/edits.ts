import { jsonPatch } from "../text/json-patch.ts";
import type { ChatMessage, ChatRequest } from "./chat.ts";

/** What the guard has changed in a request's messages: it only adds. */
export interface MessageEdits {
  /** By the message's index: the text to add at the end of what it says. */
  readonly added: ReadonlyMap<number, string>;
  /** New messages, each before the message of that index, or behind the last. */
  readonly inserted: readonly { readonly before: number; readonly message: ChatMessage }[];
}

export function messageEdits(messages: readonly ChatMessage[], edited: readonly ChatMessage[]): MessageEdits {
  const added = new Map<number, string>();
  const inserted: { before: number; message: ChatMessage }[] = [];
  /** Which of the messages as they were stands where. */
  const standing: (number | undefined)[] = messages.map((_, index) => index);
  for (const operation of jsonPatch(messages, edited)) {
    const [, place = "", member] = operation.path.split("/");
    const at = Number(place);
    if (operation.op === "remove") continue;
    if (member === undefined) {
      standing.splice(at, 0, undefined);
      const before = standing.slice(at).find((index) => index !== undefined) ?? messages.length;
      inserted.push({ before, message: operation.value as ChatMessage });
    } else {
      const index = standing[at];
      if (index !== undefined && member === "content")
        added.set(index, textAdded(messages[index], String(operation.value)));
    }
  }
  return { added, inserted };
}

function textAdded(message: ChatMessage | undefined, now: string): string {
  const before = message?.content ?? "";
  return (now.startsWith(before) ? now.slice(before.length) : now).trimStart();
}

/** A text with a note at its end. */
export function notedText(text: string, note: string): string {
  return text === "" ? note : `${text}\n\n${note}`;
}

/** Whether a tool is still offered. */
export function isOffered({ tools = [] }: ChatRequest, name: string): boolean {
  return tools.some((tool) => tool.function.name === name);
}
