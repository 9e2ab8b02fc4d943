import type { JsonSchema } from "../../../shapes/shapes.ts";
import { bodies } from "../bodies.ts";
import { protocolNames } from "../../../protocols/protocols.ts";
import { list, object, oneOf, orNull, text, whole } from "../json-schema.ts";

const rung = oneOf(["nudge", "force-done", "short-circuit"], "A rung.");

/** What the operation `decide` takes and gives. */
export const decideSchemas: Readonly<Record<string, JsonSchema>> = {
  DecideRequest: bodies.DecideRequest.schema,
  Decision: object({
    verdict: text(
      "`ok`, a rung, `observe:<rung>`, `degraded` (the store failed: only the history was judged), `contained`, or `unguarded` (a rule says `off`). For an answer, `ok` means: pass it on.",
    ),
    rung: orNull(rung),
    detector: orNull(text("The detector of the loop.")),
    grade: orNull(text("A kind of the detector's findings with a ladder of its own.")),
    count: orNull(whole("How often it has happened.")),
    loop: orNull(text("Equal for findings of the same loop.")),
    tools: list(text("A tool."), "The loop's tools."),
    note: orNull(text("What was seen, in one sentence; no text of the conversation.")),
    edits: list(
      object(
        {
          op: oneOf(["add", "remove", "replace"], "As in RFC 6902."),
          path: text("A JSON Pointer into `request`."),
          value: { description: "Absent for `remove`." },
        },
        { optional: ["value"] },
      ),
      "A JSON Patch (RFC 6902) of `request`: apply it, then send the result. It includes the notes of earlier turns each time.",
    ),
    respond: orNull(
      object(
        {
          status: whole("Its HTTP status."),
          contentType: text("Its content type."),
          body: text("Its body."),
        },
        { description: "The answer for the agent, instead of one from the model; null: call the model." },
      ),
    ),
    session: text("The session's name, as in `x-unloop-session`."),
    source: text("Where that comes from."),
    steps: whole("Number of steps in the request."),
    wire: oneOf(protocolNames, "The wire format that it was read in."),
    policy: text("The policy that it was judged by."),
    mode: oneOf(["enforce", "observe", "off"], "How the policy is applied."),
  }),
};
