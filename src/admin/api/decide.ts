import type { JsonObject } from "../../text/is-object.ts";
import { type Policy, policyFrom } from "../../policy/policy.ts";
import {
  answerReader,
  type Protocol,
  protocolNamed,
  protocolNames,
  protocolRecognising,
} from "../../protocols/protocols.ts";
import { type AnsweredQuestion, decideAlone, type Ruling } from "../../proxy/proxy.ts";
import { anyText, oneOfChoices, optional, textOfLength, textOr, type ValueOf } from "../../shapes/shapes.ts";
import { jsonPatch } from "../../text/json-patch.ts";
import { parseJson } from "../../text/parse-json.ts";
import {
  anyObject,
  type ApiCall,
  ApiError,
  atMost,
  badRequest,
  body,
  headerFields,
  notFound,
  policyOrName,
  post,
  refuseTenants,
  visiblePolicy,
} from "./operation.ts";

const name = textOfLength(1, 256);
const wholeAnswer = "must be the whole of the model's answer: an object, or an event stream as text.";

const question = body({
  request: anyObject('must be a request\'s body, an object such as {"messages":[...]}.'),
  wire: optional(oneOfChoices(...protocolNames)),
  session: optional(name),
  tenant: optional(name),
  policy: optional(policyOrName),
  mode: optional(oneOfChoices("enforce", "observe")),
  path: optional(textOfLength(1, 2_048)),
  headers: optional(headerFields),
  answer: optional(textOr(anyText, anyObject(wholeAnswer))),
  reasked: optional(atMost(16, oneOfChoices("nudge", "force-done"))),
});

type Question = ValueOf<typeof question>;

export const decide = post("/decide", question, async (call) => {
  const { request, path, headers, policy, mode } = call.body;
  const protocol = protocolIn(call.body);
  const ruling = await decideAlone(
    {
      protocol,
      body: textOf(request, "request"),
      path: path ?? protocol.path,
      headers: byLowerCase(headers),
      session: sessionIn(call),
      tenant: tenantIn(call),
      policy: policy === undefined ? undefined : policyIn(call, policy),
      mode,
      answered: answeredIn(call.body, protocol),
    },
    call.guard(),
  );
  if (ruling === undefined)
    throw badRequest(
      `request cannot be read as ${protocol.name}: it needs at least one message in that format. Check its messages, or say another "wire".`,
    );
  const { own, body: edited, verdict } = ruling;
  return {
    verdict: verdict.verdict,
    ...shownLoop(verdict.intervention),
    edits: own === undefined ? jsonPatch(request, parseJson(edited)) : [],
    respond:
      own === undefined ? null : { status: own.status, contentType: own.reply.contentType, body: own.reply.body },
    ...{ session: verdict.session ?? "", source: verdict.source ?? "", steps: verdict.steps ?? 0 },
    ...{ wire: protocol.name, policy: ruling.policy, mode: ruling.mode },
  };
});

function shownLoop(found: Ruling["verdict"]["intervention"]) {
  const {
    rung = null,
    detector = null,
    grade = null,
    count = null,
    loop = null,
    tools = [],
    note = null,
  } = found ?? {};
  return { rung, detector, grade, count, loop, tools, note };
}

function protocolIn({ request, wire }: Question): Protocol {
  const protocol = wire === undefined ? protocolRecognising(request as JsonObject) : protocolNamed(wire);
  if (protocol !== undefined) return protocol;
  throw badRequest(
    'request is of no wire format that is known: it needs "messages" (chat completions, Anthropic\'s messages) or "input" (responses) or "contents" (Gemini\'s), with at least one message.',
  );
}

function byLowerCase(fields: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field.toLowerCase(), value]));
}

/** A token that may only read changes nothing. On this machine anybody may send the same request through the guard, with its credential. */
function sessionIn({ actor, body: { session, tenant } }: ApiCall<Question>): string | undefined {
  if (session === undefined || actor.role === "operate") return session;
  if (actor.isLocal === true && tenant === undefined) return session;
  throw new ApiError(
    403,
    "forbidden",
    `The token "${actor.name}" may only read: a decision with a session is kept, which takes the role operate. Leave "session" out, or use another token.`,
  );
}

function tenantIn(call: ApiCall<Question>): string | undefined {
  const { tenant } = call.body;
  if (tenant !== undefined && tenant !== call.actor.tenant) refuseTenants(call);
  return call.actor.tenant ?? tenant;
}

function answeredIn({ answer, reasked = [] }: Question, protocol: Protocol): AnsweredQuestion | undefined {
  if (answer === undefined) return undefined;
  const isStream = typeof answer === "string";
  const reader = answerReader(protocol, isStream ? protocol.framing("").contentType : "application/json");
  reader.push(new TextEncoder().encode(isStream ? answer : textOf(answer, "answer")));
  const parsed = reader.end();
  if (parsed !== undefined) return { answer: parsed, reasked };
  throw badRequest(
    `answer cannot be read as an answer of ${protocol.name}: give the whole of it, as an object, or an event stream as text.`,
  );
}

/** @param at the field that it stands in */
function textOf(json: object, at: string): string {
  try {
    return JSON.stringify(json);
  } catch {
    // Its depth is more than can be written down again.
    throw badRequest(`${at} is nested too deeply.`);
  }
}

export function policyIn({ guard, actor }: ApiCall, policy: string | object): Policy {
  if (typeof policy !== "string") return policyFrom(policy);
  const found = visiblePolicy(policy, guard(), actor.tenant);
  if (found === undefined) throw notFound(`policy ${JSON.stringify(policy)}; GET /unloop/api/status lists them`);
  return found;
}
