import type { BodyOf } from "./bodies.ts";
import { type ApiCall, byLowerCase, refuseTenants } from "./context.ts";

/** Operation `explain`. A token of one tenant asks for its own requests, and sees of the rules only the one that they fall under. */
export function explainRequest(call: ApiCall<BodyOf<"ExplainRequest">>) {
  const { control, actor, body } = call;
  const { path, model, client, tenant, session, headers } = body;
  const isOthers = client !== undefined && !control.clientsOf(actor.tenant).includes(client);
  if (isOthers || (tenant !== undefined && tenant !== actor.tenant)) refuseTenants(call);
  const asked = { path, model, client, tenant: actor.tenant ?? tenant, session, headers: byLowerCase(headers) };
  const explanation = control.explain(asked);
  if (actor.tenant === undefined) return explanation;
  return { ...explanation, considered: explanation.considered.filter(({ matched }) => matched) };
}
