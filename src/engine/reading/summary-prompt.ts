import { alternatives } from "../../languages/languages.ts";

/** Prompts are longer, but say what they want at their beginning. In characters. */
const SPAN = 8_000;

const SUMMARY = new RegExp(alternatives("summary"), "i");
const NO_TOOLS = new RegExp(alternatives("noTools"), "i");

/**
 * Whether a user's words are a harness's prompt to compact the history: a summary is to take its place, and is to be said in words
 * alone. @param offersTools without tools on offer that need not be said
 */
export function asksForCompaction(text: string, offersTools: boolean): boolean {
  const head = text.slice(0, SPAN);
  return SUMMARY.test(head) && (!offersTools || NO_TOOLS.test(head));
}
