import { answerReader, type ParsedRequest, type Protocol, type Reply } from "../../protocols/protocols.ts";
import type { ShownAnswer } from "./context.ts";

/** An answer of the guard's own, as its reader reads it. Undefined where it is an error, or nothing refers to answers. */
export function shownReply(
  { status, reply }: { readonly status: number; readonly reply: Reply },
  upstream: ShownAnswer["upstream"],
  protocol: Protocol,
): ShownAnswer | undefined {
  if (status !== 200 || !protocol.refersToAnswers) return undefined;
  const reader = answerReader(protocol, reply.contentType);
  reader.push(new TextEncoder().encode(reply.body));
  const answer = reader.end();
  return answer && { id: answer.id, step: answer.step, isOwn: true, upstream };
}

/**
 * The same in the place of asking upstream, to which it is as if the request had never come: what it told of calls is still to
 * be told.
 */
export function shownInstead(
  reply: { readonly status: number; readonly reply: Reply },
  { previousAnswerId: id, conversation }: ParsedRequest,
  protocol: Protocol,
): ShownAnswer | undefined {
  return shownReply(reply, { id, unanswered: conversation.steps.flatMap(({ calls }) => calls) }, protocol);
}
