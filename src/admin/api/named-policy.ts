import { type Policy, policyFrom } from "../../policy/policy.ts";
import { type ApiCall, badRequest, notFound } from "./context.ts";

/** A policy by its name, or as JSON. @param at the field that it stands in */
export function policyIn({ control }: ApiCall, given: unknown, at: string): Policy {
  if (typeof given === "string") {
    const policy = control.policyNamed(given);
    if (policy === undefined) throw notFound(`policy ${JSON.stringify(given)}; GET /unloop/api/policies lists them`);
    return policy;
  }
  if (typeof given !== "object" || given === null)
    throw badRequest(`${at} must be a policy's name, or a policy as JSON.`);
  return policyFrom(given);
}
