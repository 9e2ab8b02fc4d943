import { type Answer, answerReader, type ParsedRequest, type Protocol, type Reply } from "../../protocols/protocols.ts";
import type { ShownAnswer } from "../../evaluation/evaluation.ts";

/** An answer of the guard's own to a request at this URL, as its reader reads it. Undefined where it is an error. */
export function readReply({ status, reply }: OwnReply, protocol: Protocol, target: string): Answer | undefined {
  if (status !== 200) return undefined;
  const reader = answerReader(protocol, reply.contentType, undefined, target);
  reader.push(new TextEncoder().encode(reply.body));
  return reader.end();
}

interface OwnReply {
  readonly status: number;
  readonly reply: Reply;
}

/** The same with what goes before it upstream. Undefined where nothing refers to answers. */
export function shownReply(
  own: OwnReply,
  upstream: ShownAnswer["upstream"],
  protocol: Protocol,
  target: string,
): ShownAnswer | undefined {
  const answer = protocol.refersToAnswers ? readReply(own, protocol, target) : undefined;
  return answer && { id: answer.id, step: answer.step, isOwn: true, upstream };
}

/**
 * The same in the place of asking upstream, to which it is as if the request had never come: what it told of calls is still to
 * be told.
 */
export function shownInstead(
  reply: OwnReply,
  { previousAnswerId: id, conversation, target }: ParsedRequest,
  protocol: Protocol,
): ShownAnswer | undefined {
  return shownReply(reply, { id, unanswered: conversation.steps.flatMap(({ calls }) => calls) }, protocol, target);
}
