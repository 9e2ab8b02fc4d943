import type { JsonSchema } from "../../shapes/shapes.ts";
import { recordSchema, textSchema } from "./json-schema.ts";
import { decideSchemas } from "./schemas/decide.ts";
import { dryRunSchemas } from "./schemas/dry-run.ts";
import { journalSchemas } from "./schemas/journal.ts";
import { policySchemas } from "./schemas/policies.ts";
import { runningSchemas } from "./schemas/running.ts";
import { savingsSchemas } from "./schemas/savings.ts";
import { sessionSchemas } from "./schemas/sessions.ts";

/** Schemas of requests and answers, by name. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Error: recordSchema({
    error: recordSchema({
      code: textSchema("Stable; for programs."),
      message: textSchema("For people: what is wrong, and the cure."),
    }),
  }),
  ...sessionSchemas,
  ...journalSchemas,
  ...savingsSchemas,
  ...runningSchemas,
  ...policySchemas,
  ...dryRunSchemas,
  ...decideSchemas,
};
