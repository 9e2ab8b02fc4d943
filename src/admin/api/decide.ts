import type { Rung } from "../../policy/policy.ts";
import {
  type Answer,
  answerReader,
  type Protocol,
  protocolNamed,
  protocolNames,
  protocolRecognising,
} from "../../protocols/protocols.ts";
import type { AnsweredQuestion, Ruling } from "../../proxy/proxy.ts";
import { type ApiCall, ApiError, badRequest, fieldsOf, refuseTenants, textsIn } from "./context.ts";
import { jsonPatch } from "../../json-patch.ts";
import { policyIn } from "./named-policy.ts";

/** What the guard would do with a request that somebody else sends, or with its answer. */
export async function decide(call: ApiCall) {
  const fields = fieldsOf(call.body);
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw badRequest(`${JSON.stringify(unknown)} is not a field of this body; it takes ${FIELDS.join(", ")}.`);
  const protocol = protocolIn(fields);
  const body = textOf(fields.request, "request");
  const ruling = await call.control.decide({
    protocol,
    body,
    path: textIn(fields, "path", 2_048) ?? ENDPOINTS[protocol.name],
    headers: textsIn(fields.headers, "headers"),
    session: sessionIn(call, fields),
    tenant: tenantIn(call, fields),
    policy: fields.policy === undefined ? undefined : policyIn(call, fields.policy, "policy"),
    mode: oneOfIn(fields, "mode", ["enforce", "observe"]),
    answered: answeredIn(fields, protocol),
  });
  if (ruling === undefined) throw unreadable(protocol);
  return decisionOf(ruling, fields.request, protocol);
}

type DecideFields = Readonly<Record<string, unknown>>;

const FIELDS = ["request", "wire", "session", "tenant", "policy", "mode", "path", "headers", "answer", "reasked"];

const ENDPOINTS = {
  "chat-completions": "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
} as const;

const MAX_NAME = 256;
/** More often no policy asks again. */
const MAX_REASKED = 16;

function decisionOf({ verdict, policy, mode, body, own }: Ruling, request: unknown, { name }: Protocol) {
  const { intervention } = verdict;
  const { rung = null, detector = null, grade = null, count = null, loop = null, note = null } = intervention ?? {};
  return {
    verdict: verdict.verdict,
    rung,
    detector,
    grade,
    count,
    loop,
    tools: intervention?.tools ?? [],
    note,
    edits: own === undefined ? jsonPatch(request, JSON.parse(body)) : [],
    respond:
      own === undefined ? null : { status: own.status, contentType: own.reply.contentType, body: own.reply.body },
    session: verdict.session ?? "",
    source: verdict.source ?? "",
    steps: verdict.steps ?? 0,
    wire: name,
    policy,
    mode,
  };
}

function protocolIn({ request, wire }: DecideFields): Protocol {
  if (typeof request !== "object" || request === null || Array.isArray(request))
    throw badRequest('request must be a request\'s body, an object such as {"messages":[...]}.');
  const protocol = wire === undefined ? protocolRecognising(request) : protocolNamed(String(wire));
  if (protocol !== undefined) return protocol;
  if (wire !== undefined) throw badRequest(`wire must be one of ${protocolNames.join(", ")}.`);
  throw badRequest(
    'request is of no wire format that is known: it needs "messages" (chat completions, Anthropic\'s messages) or "input" (responses), with at least one message.',
  );
}

function unreadable({ name }: Protocol): ApiError {
  return badRequest(
    `request cannot be read as ${name}: it needs at least one message in that format. Check its messages, or say another "wire".`,
  );
}

/** A token that may only read changes nothing. */
function sessionIn({ actor }: ApiCall, fields: DecideFields): string | undefined {
  const session = textIn(fields, "session", MAX_NAME);
  if (session === undefined || actor.role === "operate") return session;
  throw new ApiError(
    403,
    "forbidden",
    `The token "${actor.name}" may only read: a decision with a session is kept, which takes the role operate. Leave "session" out, or use another token.`,
  );
}

function tenantIn(call: ApiCall, fields: DecideFields): string | undefined {
  const tenant = textIn(fields, "tenant", MAX_NAME);
  if (tenant !== undefined && tenant !== call.actor.tenant) refuseTenants(call);
  return call.actor.tenant ?? tenant;
}

function answeredIn({ answer, reasked = [] }: DecideFields, protocol: Protocol): AnsweredQuestion | undefined {
  if (answer === undefined) return undefined;
  const isKnown = (rung: unknown): rung is Rung => rung === "nudge" || rung === "force-done";
  if (!Array.isArray(reasked) || reasked.length > MAX_REASKED || !reasked.every(isKnown))
    throw badRequest(`reasked must be a list of at most ${MAX_REASKED} of the rungs nudge, force-done.`);
  const read = readAnswer(answer, protocol);
  if (read !== undefined) return { answer: read, reasked };
  throw badRequest(
    `answer cannot be read as an answer of ${protocol.name}: give the whole of it, as an object, or an event stream as text.`,
  );
}

function readAnswer(answer: unknown, protocol: Protocol): Answer | undefined {
  const isStream = typeof answer === "string";
  const reader = answerReader(protocol, isStream ? "text/event-stream" : "application/json");
  reader.push(new TextEncoder().encode(isStream ? answer : textOf(answer, "answer")));
  return reader.end();
}

/** @param at the field that it stands in */
function textOf(json: unknown, at: string): string {
  try {
    return JSON.stringify(json);
  } catch {
    // Its depth is more than can be written down again.
    throw badRequest(`${at} is nested too deeply.`);
  }
}

function textIn(fields: DecideFields, name: string, most: number): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length > 0 && value.length <= most) return value;
  throw badRequest(`${name} must be a text of 1 to ${most} characters.`);
}

function oneOfIn<Value extends string>(
  fields: DecideFields,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw badRequest(`${name} must be one of ${values.join(", ")}.`);
  return found;
}
