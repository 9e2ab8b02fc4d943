import { utf8Text } from "../../bytes.ts";
import { UnloopError } from "../../errors.ts";
import { containedText, languageOf } from "../../policy/policy.ts";
import type { ParsedRequest, Protocol } from "../../protocols/protocols.ts";
import type { Identity } from "../../session/session.ts";
import type { SessionKey } from "../../store/store.ts";
import type { ExchangeContext } from "../../proxy/guard-context.ts";
import type { Containment } from "../../activity/activity.ts";
import type { ContinuedThread, Decided, JudgedWhole } from "../whole-history.ts";
import { doneToolOf, type OwnAnswer } from "./interventions.ts";

/** The operator's order that stands against this exchange's session, if one does. */
export function containmentOf(decided: Decided, { containments }: ExchangeContext): Containment | undefined {
  return decided.kind === "unread" ? undefined : containments.of(identityOf(decided).key, sessionKeyOf(decided));
}

export function identityOf(decided: ContinuedThread | JudgedWhole): Identity {
  return decided.kind === "judged" ? decided.considered.identity : decided.turn.before.identity;
}

function sessionKeyOf(decided: ContinuedThread | JudgedWhole): SessionKey {
  const { key } = identityOf(decided);
  return decided.kind === "judged" ? (decided.budgetKey(undefined) ?? key) : key;
}

/** Calls back with the order if an operator ends the session while its exchange is open. @returns what ends the watch */
export function watchContainment(
  decided: Decided,
  end: (reason: UnloopError) => void,
  { containments }: ExchangeContext,
): () => void {
  if (decided.kind === "unread") return () => undefined;
  return containments.watch(sessionKeyOf(decided), () =>
    end(new UnloopError("session_contained", "An operator has ended this session.")),
  );
}

export function isContained(failure: unknown): boolean {
  return failure instanceof UnloopError && failure.code === "session_contained";
}

/** What becomes of a request whose session an operator has ended: it is answered here. */
export function containedRequest(decided: JudgedWhole, contained: Containment, context: ExchangeContext): JudgedWhole {
  const { considered, action } = decided;
  const { session, label, source } = action.verdict;
  const verdict = {
    verdict: "contained",
    ...(session !== undefined && { session }),
    ...(label !== undefined && { label }),
    ...(source !== undefined && { source }),
  };
  const { status, reply } = containedResponse(considered.request, contained, context);
  return {
    ...decided,
    contained,
    action: { kind: "answer", status, reply, verdict },
    lookahead: undefined,
    planned: undefined,
  };
}

/** Undefined for a request that cannot be read. */
export function containedAnswer(decided: Decided, bytes: Uint8Array, context: ExchangeContext): OwnAnswer | undefined {
  const contained = containmentOf(decided, context);
  const text = utf8Text(bytes);
  const request =
    decided.kind === "judged"
      ? decided.considered.request
      : text === undefined
        ? undefined
        : context.protocol.parse(text);
  return contained && request && containedResponse(request, contained, context);
}

/** The last word to a contained run, in the shape that its agent accepts as an end; an error, by policy. */
function containedResponse(
  request: ParsedRequest,
  { reason }: Containment,
  { protocol, policy, stamp }: ExchangeContext,
): OwnAnswer {
  const { opening } = request.conversation;
  const language = policy.language === "auto" ? languageOf(opening.join("\n")) : policy.language;
  const text = containedText(reason, language, policy);
  if (policy.finalResponse === "error") return refused(text, protocol);
  const final = { text, doneTool: doneToolOf(request, policy), succeeded: false };
  const reply = protocol.reply(request, final, stamp());
  return { status: 200, reply, events: reply.body };
}

function refused(message: string, protocol: Protocol): OwnAnswer {
  const failure = { code: "session_contained", status: 403, message } as const;
  return { status: 403, reply: protocol.error(failure, "body"), events: protocol.error(failure, "event").body };
}
