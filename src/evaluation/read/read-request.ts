import type { Sign } from "../../text/sign.ts";
import { type ParsedRequest, readMarked } from "../../protocols/protocols.ts";
import { type RequestMetadata, identify, type Identity } from "../../session/session.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { requestMetadata } from "./request-metadata.ts";
import type { RequestContext } from "../context.ts";
import type { AbridgedBody } from "./abridged-body.ts";
import { isCompaction, withoutCompactionPrompt } from "./compaction.ts";

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
