import { isRecord } from "../is-object.ts";
import { withoutReminders } from "../../text/reminders.ts";

/** Lines above a command's output that number the telling and say how long it took; an exit code that tells of a failure stays. */
const HEADER = /^(?:(?:Chunk ID|Wall time|Original token count): .{1,64}|Process exited with code 0|Output:)(?:\n|$)/gm;
/** A header stands at the beginning. In characters. */
const HEADER_SPAN = 512;
/** Remaining budget that shrinks with every turn. */
const BUDGET = /<total_tokens>[^<]{0,64}<\/total_tokens>/g;

/** What a tool gave back, without what the agent's harness says around it: that is new at every turn, whatever the tool says. */
export function withoutEnvelope(text: string): string {
  const inner = withoutReminders(text);
  const bare = inner.includes("<total_tokens>") ? inner.replace(BUDGET, "") : inner;
  if (!bare.startsWith("Chunk ID: ") && !bare.startsWith("Wall time: ")) return withoutAddenda(bare.trim());
  return withoutAddenda((bare.slice(0, HEADER_SPAN).replace(HEADER, "") + bare.slice(HEADER_SPAN)).trim());
}

/**
 * The texts of a tool's result as the Model Context Protocol wraps them; undefined for all else.
 * @param value the result's own, where it is JSON
 */
export function textsOfMcp(value: unknown): string | undefined {
  if (!isRecord(value) || !Array.isArray(value.content) || value.content.length === 0) return undefined;
  const parts: readonly unknown[] = value.content;
  const texts = parts.map((part) => (isRecord(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

const MOST_ADDENDA = 4;
const CLOSING_TAG = /<\/([A-Za-z][\w-]{0,40})>$/;

/** Without marked-up blocks at the end of a result that is no markup itself: usage, hints, notes on other things. */
function withoutAddenda(text: string): string {
  if (text.startsWith("<")) return text;
  let inner = text;
  for (let i = 0; i < MOST_ADDENDA; i++) {
    const from = addendumAt(inner);
    if (from <= 0) break;
    inner = inner.slice(0, from).trimEnd();
  }
  return inner === "" ? text : inner;
}

/** What stands in these is what came back. */
const TOLD = /err|fail|out|result|content|body|status|code|data|text/i;
/** Where the last block begins, on a line of its own; -1 if there is none. */
function addendumAt(text: string): number {
  const tag = CLOSING_TAG.exec(text.slice(-48))?.[1];
  const from = tag === undefined || TOLD.test(tag) ? -1 : text.lastIndexOf(`<${tag}>`);
  return from > 0 && text.charCodeAt(from - 1) === 0x0a ? from : -1;
}
