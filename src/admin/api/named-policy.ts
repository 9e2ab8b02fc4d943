import { type Policy, policyFrom } from "../../policy/policy.ts";
import { type ApiCall, notFound } from "./context.ts";

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
