import { AGENTS } from "../../agents/agents.ts";
import { asksForCompaction } from "../../engine/engine.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import type { RequestMetadata } from "../../session/session.ts";
import type { Conversation, Step } from "../../step.ts";

const compactions = AGENTS.flatMap(({ compaction = [] }) => compaction);

/**
 * A request for a compaction: the harness has the model sum up a history that has grown too long, and goes on with the summary in its
 * place. What is asked of the model then is no step of the run, and a note would become part of the summary.
 */
export function isCompaction({ conversation, tools }: ParsedRequest, metadata: RequestMetadata): boolean {
  if (compactions.some(({ header, says }) => says.test(metadata.header(header) ?? ""))) return true;
  const last = conversation.steps.at(-1)?.heard.at(-1);
  return last !== undefined && asksForCompaction(last, tools.length > 0);
}

/** The run as it was before its harness asked for a summary. */
export function withoutCompactionPrompt(conversation: Conversation): Conversation {
  const { steps } = conversation;
  const last = steps.at(-1);
  if (last === undefined || last.heard.length === 0) return conversation;
  const before: Step = { ...last, heard: last.heard.slice(0, -1) };
  return { ...conversation, steps: [...steps.slice(0, -1), before] };
}
