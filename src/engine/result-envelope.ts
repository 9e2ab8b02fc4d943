import { withoutReminders } from "../reminders.ts";

/** Lines above a command's output that number the telling and say how long it took; the exit code among them stays. */
const HEADER = /^(Chunk ID|Wall time|Original token count): .{1,64}\n/gm;
/** A header stands at the beginning. In characters. */
const HEADER_SPAN = 512;
/** What is left of a budget that shrinks with every turn. */
const BUDGET = /<total_tokens>[^<]{0,64}<\/total_tokens>/g;

/** What a tool gave back, without what the agent's harness says around it: that is new at every turn, whatever the tool says. */
export function withoutEnvelope(text: string): string {
  const told = withoutReminders(text);
  const bare = told.includes("<total_tokens>") ? told.replace(BUDGET, "") : told;
  if (!bare.startsWith("Chunk ID: ") && !bare.startsWith("Wall time: ")) return bare.trim();
  return (bare.slice(0, HEADER_SPAN).replace(HEADER, "") + bare.slice(HEADER_SPAN)).trim();
}
