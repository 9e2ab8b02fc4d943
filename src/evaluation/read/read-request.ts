import type { Sign } from "../../text/sign.ts";
import { type ParsedRequest, readMarked } from "../../protocols/protocols.ts";
import { identify, type Identity, type RequestMetadata } from "../../session/session.ts";
import { type IncomingRequest, requestMetadata } from "./incoming-request.ts";
import type { RequestContext } from "../context.ts";
import type { AbridgedBody } from "./abridged-body.ts";
import { AGENTS } from "../../agents/agents.ts";
import { asksForCompaction } from "../../engine/engine.ts";
import type { Conversation, Step } from "../../step.ts";

/** A request that is understood, and whose it is as far as it says so itself. */
export interface IdentifiedRequest {
  readonly body: string;
  readonly restore: AbridgedBody["restore"];
  readonly isPartial: boolean;
  readonly request: ParsedRequest;
  readonly metadata: RequestMetadata;
  readonly named: Identity;
  /** Whether the harness asks for a compaction of the history: such a request passes unchanged. */
  readonly compacts: boolean;
}

/** Undefined for what is not understood. */
export function readRequest(
  { metadata: head, target }: Pick<IncomingRequest, "metadata" | "target">,
  { text: body, restore, isPartial }: AbridgedBody,
  context: RequestContext,
): IdentifiedRequest | undefined {
  const { protocol, sign, policy } = context;
  const plain = protocol.parse(body, target);
  if (plain === undefined) return undefined;
  const parsed = policy.prompts === undefined ? plain : readMarked(plain, policy.prompts);
  const metadata = requestMetadata(head, parsed);
  const compacts = isCompaction(parsed, metadata);
  const conversation = compacts ? withoutCompactionPrompt(parsed.conversation) : parsed.conversation;
  const request = compacts ? { ...parsed, conversation } : parsed;
  const isWhole = !compacts && (request.previousAnswerId ?? request.unread) === undefined;
  const named = identify(metadata, conversation, sign, isWhole ? context.stamp().id : undefined);
  const identified = { body, restore, isPartial, request, metadata, named, compacts };
  return conversation.showsState && !named.isGiven ? withoutState(identified, sign) : identified;
}

/** A run that only its task names keeps no state from the prompt: another run with the same task may show the same state. */
function withoutState(identified: IdentifiedRequest, sign: Sign): IdentifiedRequest {
  const conversation = { ...identified.request.conversation, steps: [] };
  const { request, metadata } = identified;
  return { ...identified, request: { ...request, conversation }, named: identify(metadata, conversation, sign) };
}

const compactions = AGENTS.flatMap(({ compaction = [] }) => compaction);

/**
 * A request for a compaction: the harness has the model sum up a history that has grown too long, and goes on with the summary in its
 * place. What is asked of the model then is no step of the run, and a note would become part of the summary.
 */
function isCompaction({ conversation, tools }: ParsedRequest, metadata: RequestMetadata): boolean {
  if (compactions.some(({ header, says }) => says.test(metadata.header(header) ?? ""))) return true;
  const last = conversation.steps.at(-1)?.heard.at(-1);
  return last !== undefined && asksForCompaction(last, tools.length > 0);
}

/** The run as it was before its harness asked for a summary. */
function withoutCompactionPrompt(conversation: Conversation): Conversation {
  const { steps } = conversation;
  const last = steps.at(-1);
  if (last === undefined || last.heard.length === 0) return conversation;
  const before: Step = { ...last, heard: last.heard.slice(0, -1) };
  return { ...conversation, steps: [...steps.slice(0, -1), before] };
}
