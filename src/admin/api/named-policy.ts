import { type Policy, policyFrom } from "../../policy/policy.ts";
import { type ApiCall, notFound } from "./context.ts";

/** A policy by its name, or as JSON. */
export function policyIn({ control }: ApiCall, given: string | object): Policy {
  if (typeof given === "string") {
    const policy = control.policyNamed(given);
    if (policy === undefined) throw notFound(`policy ${JSON.stringify(given)}; GET /unloop/api/policies lists them`);
    return policy;
  }
  return policyFrom(given);
}
