import type { Containment } from "../../activity/activity.ts";
import { containedText, languageOf } from "../../policy/policy.ts";
import type { ParsedRequest, Protocol } from "../../protocols/protocols.ts";
import { optionally } from "../background.ts";
import type { RequestContext } from "../context.ts";
import { containedVerdict, type Verdict } from "../outcome.ts";
import type { RequestAction } from "./action.ts";
import { doneToolOf, type OwnAnswer } from "./interventions.ts";

/** The action on a request whose session an operator has ended: it is answered here. */
export function containedAction(
  request: ParsedRequest,
  planned: Verdict,
  containment: Containment,
  context: RequestContext,
): RequestAction {
  const { status, reply } = containedAnswer(request, containment, context);
  return { kind: "answer", status, reply, verdict: containedVerdict(planned) };
}

/**
 * The final answer to a contained run, in the shape that its agent accepts as an end; an error, by policy, and where that answer
 * cannot be made: the order holds whatever it says.
 */
export function containedAnswer(request: ParsedRequest, order: Containment, context: RequestContext): OwnAnswer {
  return (
    optionally(() => finalAnswer(request, order, context), context, "guard-failed") ??
    refused("An operator has ended this session.", request, context.protocol)
  );
}

function finalAnswer(
  request: ParsedRequest,
  { reason }: Containment,
  { protocol, policy, stamp }: RequestContext,
): OwnAnswer {
  const { opening } = request.conversation;
  const language = policy.language === "auto" ? languageOf(opening.join("\n")) : policy.language;
  const text = containedText(reason, language, policy);
  if (policy.finalResponse === "error") return refused(text, request, protocol);
  const final = { text, doneTool: doneToolOf(request, policy), succeeded: false };
  const reply = protocol.reply(request, final, stamp());
  return { status: 200, reply, events: reply.body };
}

function refused(message: string, { target }: ParsedRequest, protocol: Protocol): OwnAnswer {
  const failure = { code: "session_contained", status: 403, message } as const;
  return { status: 403, reply: protocol.error(failure, "body"), events: protocol.error(failure, "event", target).body };
}
