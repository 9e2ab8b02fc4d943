import type { JsonSchema } from "../../../json-schema.ts";
import { protocolNames } from "../../../protocols/protocols.ts";
import { list, mapOf, object, oneOf, orNull, text, whole } from "../json-schema.ts";

const rung = oneOf(["nudge", "force-done", "short-circuit"], "A rung.");

/** What the operation `decide` takes and gives. */
export const decideSchemas: Readonly<Record<string, JsonSchema>> = {
  DecideRequest: object(
    {
      request: {
        type: "object",
        description: "The body of the request that you are about to send to the model, in its wire format.",
      },
      wire: oneOf(protocolNames, "Its wire format; told from the body without it."),
      session: {
        type: "string",
        minLength: 1,
        maxLength: 256,
        description:
          "Names the run: what is known of it counts, and what is new is kept. Takes the role `operate`. Without it the history in `request` alone is judged, and nothing is kept.",
      },
      tenant: text("Whose run it is; the token's own for a token that is limited to one."),
      policy: {
        description: "A policy's name, or a policy as JSON; without it what the configuration chooses for the request.",
      },
      mode: oneOf(["enforce", "observe"], "In the place of what the configuration chooses."),
      path: text("Where the request goes, for rules by path; the format's own endpoint without it."),
      headers: mapOf(text("A value."), "Its headers, as far as rules or sessions go by them."),
      answer: {
        anyOf: [{ type: "object" }, { type: "string" }],
        description:
          "The model's answer to the request as you sent it (an object, or an event stream as text), to be asked about before its calls are carried out.",
      },
      reasked: list(rung, "Rungs for which you have asked the model again for this answer, in order."),
    },
    { optional: ["wire", "session", "tenant", "policy", "mode", "path", "headers", "answer", "reasked"] },
  ),
  Decision: object({
    verdict: text(
      "`ok`, a rung, `observe:<rung>`, `degraded` (the store failed: the history alone was judged), `contained`, or `unguarded` (a rule says `off`). Of an answer: `ok` lets it through.",
    ),
    rung: orNull(rung),
    detector: orNull(text("What saw the loop.")),
    grade: orNull(text("A kind of the detector's findings with a ladder of its own.")),
    count: orNull(whole("How often it has happened.")),
    loop: orNull(text("Equal for findings of the same loop.")),
    tools: list(text("A tool."), "The loop's tools."),
    note: orNull(text("What was seen, in one sentence; no text of the conversation.")),
    edits: list(
      object(
        {
          op: oneOf(["add", "remove", "replace"], "As RFC 6902 has it."),
          path: text("A JSON Pointer into `request`."),
          value: { description: "Missing for `remove`." },
        },
        { optional: ["value"] },
      ),
      "A JSON Patch (RFC 6902) of `request`: apply it, then send the result. Notes of earlier turns are in it again each time.",
    ),
    respond: orNull(
      object(
        {
          status: whole("Its HTTP status."),
          contentType: text("Its content type."),
          body: text("Its body."),
        },
        { description: "What to give to the agent in the place of the model's answer; null: ask the model." },
      ),
    ),
    session: text("The session's name, as in `x-unloop-session`."),
    source: text("Where that comes from."),
    steps: whole("How many steps the request tells."),
    wire: oneOf(protocolNames, "The wire format that it was read in."),
    policy: text("The policy that it was judged by."),
    mode: oneOf(["enforce", "observe", "off"], "How the policy is applied."),
  }),
};
