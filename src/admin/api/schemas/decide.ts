import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { protocolNames } from "../../../protocols/protocols.ts";
import { listSchema, recordSchema, oneOfSchema, orNull, textSchema, wholeSchema } from "../json-schema.ts";

const rung = oneOfSchema(["nudge", "force-done", "short-circuit"], "A rung.");

/** Schemas of the operation `decide`. */
export const decideSchemas: Readonly<Record<string, JsonSchema>> = {
  DecideRequest: bodies.DecideRequest.schema,
  Decision: recordSchema({
    verdict: textSchema(
      "`ok`, a rung, `observe:<rung>`, `degraded` (the store failed: only the history was judged), `contained`, or `unguarded` (a rule says `off`). For an answer, `ok` means: pass it on.",
    ),
    rung: orNull(rung),
    detector: orNull(textSchema("The detector of the loop.")),
    grade: orNull(textSchema("A kind of the detector's findings with a ladder of its own.")),
    count: orNull(wholeSchema("How often it has happened.")),
    loop: orNull(textSchema("Equal for findings of the same loop.")),
    tools: listSchema(textSchema("A tool."), "The loop's tools."),
    note: orNull(textSchema("What was seen, in one sentence; no text of the conversation.")),
    edits: listSchema(
      recordSchema({
        op: oneOfSchema(["add", "remove", "replace"], "As in RFC 6902."),
        path: textSchema("A JSON Pointer into `request`."),
        "value?": { description: "Absent for `remove`." },
      }),
      "A JSON Patch (RFC 6902) of `request`: apply it, then send the result. It includes the notes of earlier turns each time.",
    ),
    respond: orNull(
      recordSchema(
        {
          status: wholeSchema("Its HTTP status."),
          contentType: textSchema("Its content type."),
          body: textSchema("Its body."),
        },
        "The answer for the agent, instead of one from the model; null: call the model.",
      ),
    ),
    session: textSchema("The session's name, as in `x-unloop-session`."),
    source: textSchema("Where that comes from."),
    steps: wholeSchema("Number of steps in the request."),
    wire: oneOfSchema(protocolNames, "The wire format that it was read in."),
    policy: textSchema("The policy that it was judged by."),
    mode: oneOfSchema(["enforce", "observe", "off"], "How the policy is applied."),
  }),
};
