import type { JsonObject } from "../../text/is-object.ts";
import { type Policy, policyFrom } from "../../policy/policy.ts";
import {
  answerReader,
  type Protocol,
  protocolNamed,
  protocolNames,
  protocolRecognising,
} from "../../protocols/protocols.ts";
import { type AnsweredQuestion, type Ruling, decideAlone, visiblePolicy } from "../../proxy/proxy.ts";
import { anyText, described, oneOfChoices, optional, textOfLength, textOr, type ValueOf } from "../../shapes/shapes.ts";
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
} from "./operation.ts";
import { ABOUT, MODES, RUNGS } from "./session-view.ts";
import { show } from "./view.ts";

const name = textOfLength(1, 256);
const wholeAnswer = "must be the whole of the model's answer: an object, or an event stream as text.";

const question = body({
  request: described(
    anyObject('must be a request\'s body, an object such as {"messages":[...]}.'),
    "The body of the request that you are about to send to the model, in its wire format.",
  ),
  wire: optional(oneOfChoices(...protocolNames), "Its wire format; by default recognised from the body."),
  session: optional(
    name,
    "Names the run. Its stored history counts, and new steps are stored. Requires the role `operate`. Without it only the history in `request` is judged, and nothing is stored.",
  ),
  tenant: optional(name, "The tenant of the run; a token that is limited to a tenant always uses its own."),
  policy: optional(
    policyOrName,
    "A policy's name, or a policy as JSON; by default the configured policy for the request.",
  ),
  mode: optional(oneOfChoices("enforce", "observe"), "Overrides the configuration."),
  path: optional(
    textOfLength(1, 2_048),
    "The request's path, for rules that match on it; by default the endpoint of its wire format.",
  ),
  headers: optional(headerFields, "Its headers, as far as rules or session names depend on them."),
  answer: optional(
    textOr(anyText, anyObject(wholeAnswer)),
    "The model's answer to the request as you sent it (an object, or an event stream as text), to be judged before its calls are executed.",
  ),
  reasked: optional(
    atMost(16, oneOfChoices("nudge", "force-done")),
    "Rungs for which you have already called the model again for this answer, in order.",
  ),
});

const edit = show.view()({
  op: show.oneOf(["add", "remove", "replace"], "As in RFC 6902."),
  path: show.text("A JSON Pointer into `request`."),
  value: show.maybe(show.anything("Absent for `remove`.")),
});

const response = show.view<NonNullable<Ruling["own"]>>()(
  {
    status: show.whole("Its HTTP status."),
    contentType: show.text("Its content type.", ({ reply }) => reply.contentType),
    body: show.text("Its body.", ({ reply }) => reply.body),
  },
  "The answer for the agent, instead of one from the model; null: call the model.",
);

interface Decided extends Ruling {
  readonly intervention: Ruling["verdict"]["intervention"];
  readonly request: object;
  readonly wire: string;
}

const decision = show.view<Decided>()({
  verdict: show.text(
    "`ok`, a rung, `observe:<rung>`, `degraded` (the store failed: only the history was judged), `contained`, `unguarded` (a rule says `off`, or there is more in it than is read), or `refused` (the latter, where the operator refuses such requests). For an answer, `ok` means: pass it on.",
    ({ verdict }) => verdict.verdict,
  ),
  rung: show.orNull(show.oneOf<Decided>(RUNGS, "A rung."), ({ intervention }) => intervention?.rung),
  detector: show.orNull(show.text("The detector of the loop."), ({ intervention }) => intervention?.detector),
  grade: show.orNull(show.text(ABOUT.grade), ({ intervention }) => intervention?.grade),
  count: show.orNull(show.whole("How often it has happened."), ({ intervention }) => intervention?.count),
  loop: show.orNull(show.text(ABOUT.loop), ({ intervention }) => intervention?.loop),
  tools: show.texts(ABOUT.tools, ({ intervention }) => intervention?.tools ?? []),
  note: show.orNull(show.text(ABOUT.note), ({ intervention }) => intervention?.note),
  edits: show.each(
    edit,
    "A JSON Patch (RFC 6902) of `request`: apply it, then send the result. It includes the notes of earlier turns each time.",
    ({ own, request, body: edited }) => (own === undefined ? jsonPatch(request, parseJson(edited)) : []),
  ),
  respond: show.orNull(show.part(response), ({ own }) => own),
  session: show.text("The session's name, as in `x-unloop-session`.", ({ verdict }) => verdict.session ?? ""),
  source: show.text("Where that comes from.", ({ verdict }) => verdict.source ?? ""),
  steps: show.whole("Number of steps in the request.", ({ verdict }) => verdict.steps ?? 0),
  wire: show.oneOf<Decided>(protocolNames, "The wire format that it was read in."),
  policy: show.text("The policy that it was judged by."),
  mode: show.oneOf<Decided>(MODES, ABOUT.mode),
});

type Question = ValueOf<typeof question>;

export const decide = post(
  "/decide",
  "Decides on a request before it is sent, or on its answer before its calls are executed, for programs that do not send their traffic through the guard. With a session it requires the role operate.",
  question,
  decision,
  async (call) => {
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
    return { ...ruling, intervention: ruling.verdict.intervention, request, wire: protocol.name };
  },
);

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
