import {
  type Answer,
  answerReader,
  type Protocol,
  protocolNamed,
  protocolNames,
  protocolRecognising,
} from "../../protocols/protocols.ts";
import type { AnsweredQuestion, Ruling } from "../../proxy/proxy.ts";
import type { BodyOf } from "./inputs.ts";
import { type ApiCall, ApiError, badRequest, byLowerCase, notFound, refuseTenants } from "./context.ts";
import { jsonPatch } from "../../text/json-patch.ts";
import { type Policy, policyFrom } from "../../policy/policy.ts";
import { ABOUT, MODES, RUNGS } from "./session-view.ts";
import { anything, asOneOf, asText, asTexts, each, maybe, orNull, partOrNull, view, whole } from "./view.ts";

const edit = view()({
  op: asOneOf(["add", "remove", "replace"], "As in RFC 6902."),
  path: asText("A JSON Pointer into `request`."),
  value: maybe(anything("Absent for `remove`.")),
});

const response = view<NonNullable<Ruling["own"]>>()(
  {
    status: whole("Its HTTP status."),
    contentType: asText("Its content type.", ({ reply }) => reply.contentType),
    body: asText("Its body.", ({ reply }) => reply.body),
  },
  "The answer for the agent, instead of one from the model; null: call the model.",
);

/** A ruling, with what it is about. */
export interface Decided extends Ruling {
  readonly intervention: Ruling["verdict"]["intervention"];
  readonly request: object;
  readonly wire: string;
}

export const decision = view<Decided>()({
  verdict: asText(
    "`ok`, a rung, `observe:<rung>`, `degraded` (the store failed: only the history was judged), `contained`, or `unguarded` (a rule says `off`). For an answer, `ok` means: pass it on.",
    ({ verdict }) => verdict.verdict,
  ),
  rung: orNull(asOneOf<Decided>(RUNGS, "A rung."), ({ intervention }) => intervention?.rung ?? null),
  detector: orNull(asText("The detector of the loop."), ({ intervention }) => intervention?.detector ?? null),
  grade: orNull(asText(ABOUT.grade), ({ intervention }) => intervention?.grade ?? null),
  count: orNull(whole("How often it has happened."), ({ intervention }) => intervention?.count ?? null),
  loop: orNull(asText(ABOUT.loop), ({ intervention }) => intervention?.loop ?? null),
  tools: asTexts(ABOUT.tools, ({ intervention }) => intervention?.tools ?? []),
  note: orNull(asText(ABOUT.note), ({ intervention }) => intervention?.note ?? null),
  edits: each(
    edit,
    "A JSON Patch (RFC 6902) of `request`: apply it, then send the result. It includes the notes of earlier turns each time.",
    ({ own, request, body }) => (own === undefined ? jsonPatch(request, JSON.parse(body)) : []),
  ),
  respond: partOrNull(response, ({ own }) => own),
  session: asText("The session's name, as in `x-unloop-session`.", ({ verdict }) => verdict.session ?? ""),
  source: asText("Where that comes from.", ({ verdict }) => verdict.source ?? ""),
  steps: whole("Number of steps in the request.", ({ verdict }) => verdict.steps ?? 0),
  wire: asOneOf<Decided>(protocolNames, "The wire format that it was read in."),
  policy: asText("The policy that it was judged by."),
  mode: asOneOf<Decided>(MODES, ABOUT.mode),
});

/** Operation `decide`: the guard's decision on a request that another program sends, or on its answer. */
export async function decide(call: ApiCall<DecideFields>) {
  const fields = call.body;
  const protocol = protocolIn(fields);
  const body = textOf(fields.request, "request");
  const ruling = await call.control.decide({
    protocol,
    body,
    path: fields.path ?? protocol.path,
    headers: byLowerCase(fields.headers),
    session: sessionIn(call, fields),
    tenant: tenantIn(call, fields),
    policy: fields.policy === undefined ? undefined : policyIn(call, fields.policy),
    mode: fields.mode,
    answered: answeredIn(fields, protocol),
  });
  if (ruling === undefined)
    throw badRequest(
      `request cannot be read as ${protocol.name}: it needs at least one message in that format. Check its messages, or say another "wire".`,
    );
  const { intervention } = ruling.verdict;
  return decision.of({ ...ruling, intervention, request: fields.request, wire: protocol.name });
}

type DecideFields = BodyOf<"DecideRequest">;

function protocolIn({ request, wire }: DecideFields): Protocol {
  const protocol = wire === undefined ? protocolRecognising(request) : protocolNamed(wire);
  if (protocol !== undefined) return protocol;
  throw badRequest(
    'request is of no wire format that is known: it needs "messages" (chat completions, Anthropic\'s messages) or "input" (responses) or "contents" (Gemini\'s), with at least one message.',
  );
}

/** A token that may only read changes nothing. On this machine anybody may send the same request through the guard, with its credential. */
function sessionIn({ actor }: ApiCall, { session, tenant }: DecideFields): string | undefined {
  if (session === undefined || actor.role === "operate") return session;
  if (actor.isLocal === true && tenant === undefined) return session;
  throw new ApiError(
    403,
    "forbidden",
    `The token "${actor.name}" may only read: a decision with a session is kept, which takes the role operate. Leave "session" out, or use another token.`,
  );
}

function tenantIn(call: ApiCall, { tenant }: DecideFields): string | undefined {
  if (tenant !== undefined && tenant !== call.actor.tenant) refuseTenants(call);
  return call.actor.tenant ?? tenant;
}

function answeredIn({ answer, reasked = [] }: DecideFields, protocol: Protocol): AnsweredQuestion | undefined {
  if (answer === undefined) return undefined;
  const read = readAnswer(answer, protocol);
  if (read !== undefined) return { answer: read, reasked };
  throw badRequest(
    `answer cannot be read as an answer of ${protocol.name}: give the whole of it, as an object, or an event stream as text.`,
  );
}

function readAnswer(answer: string | object, protocol: Protocol): Answer | undefined {
  const isStream = typeof answer === "string";
  const { contentType } = protocol.framing("");
  const reader = answerReader(protocol, isStream ? contentType : "application/json");
  reader.push(new TextEncoder().encode(isStream ? answer : textOf(answer, "answer")));
  return reader.end();
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

/** A policy by its name, or as JSON. */
export function policyIn({ control, actor }: ApiCall, policyOrName: string | object): Policy {
  if (typeof policyOrName === "string") {
    const policy = control.policyNamed(policyOrName, actor.tenant);
    if (policy === undefined)
      throw notFound(`policy ${JSON.stringify(policyOrName)}; GET /unloop/api/status lists them`);
    return policy;
  }
  return policyFrom(policyOrName);
}
