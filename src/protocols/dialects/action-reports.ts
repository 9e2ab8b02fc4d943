import type { Outcome } from "../../step.ts";

/** How agents begin to tell in a user message what came of actions that have no tool message of their own. */
const report =
  /^\s*(observation[ \t]*:|\[?action (result|error)\b|\[task history memory ends|\[current state|current url:)/i;
/** From here on it is about the page of now: the agent takes it out of its history after one turn. */
const oneTime = /^[ \t]*\[(task history memory ends|current state starts here)\]/im;
const failure = /^[ \t]*\[?action error\b/im;
/** Step counters, with whatever shares their line. */
const counter = /^[ \t]*current step: ?\d+ ?(\/|of) ?\d+.*$/gim;
const counterAtEdge = /^\s*step:? ?\d+ ?(\/|of) ?\d+[ \t]*(\n|$)|(^|\n)[ \t]*step:? ?\d+ ?(\/|of) ?\d+\s*$/gi;
/** What the agent was asked and has noted: longer at every turn, whatever the page does. */
const memories = ["agent_history", "user_request", "todo_contents", "memory", "plan", "step_info"];

/** Whether a user message tells what came of actions. */
export function isReport(text: string): boolean {
  return report.test(text) || text.includes("<browser_state>");
}

/**
 * What came of each of `count` actions: of as many reports each its own, else all of them together. What will still be
 * in the history at the next turn counts; the page only where nothing else does, for no later turn could be compared with it.
 */
export function reportedOutcomes(reports: readonly string[], count: number): readonly Outcome[] {
  const lasting = reports.map(withoutPage).filter((text) => text.trim() !== "");
  const texts = (lasting.length > 0 ? lasting : reports).map((text) => (isReport(text) ? withoutVolatile(text) : text));
  if (texts.length === count) return texts.map(outcomeOf);
  const together = outcomeOf(texts.join("\n"));
  return Array.from({ length: count }, () => together);
}

function outcomeOf(text: string): Outcome {
  return failure.test(text) ? { text, failed: true } : { text };
}

function withoutPage(text: string): string {
  const page = oneTime.exec(text);
  return page === null ? text : text.slice(0, page.index).trimEnd();
}

function withoutVolatile(text: string): string {
  return memories.reduce(withoutSection, text).replace(counter, "").replace(counterAtEdge, "").trim();
}

/** A section counts as one only where it is closed. */
function withoutSection(text: string, name: string): string {
  const lines: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(`<${name}>`, from);
    const end = start === -1 ? -1 : text.indexOf(`</${name}>`, start);
    if (end === -1) return lines.join("") + text.slice(from);
    lines.push(text.slice(from, start));
    from = end + name.length + 3;
  }
}

/** The label of an outcome, and the number of the agent's own call in front of it: neither is part of what came back. */
const outcomeLabel = /^\s*(?:call id:[ \t]*\S*\s*)?(?:observation[ \t]*:\s*)?(?:call id:[ \t]*\S*\s*)?/i;

export function withoutLabel(text: string): string {
  return text.replace(outcomeLabel, "");
}
