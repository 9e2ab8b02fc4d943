import type { Mode } from "../../config/config.ts";
import type { Policy } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import type { RequestMetadata } from "../../session/session.ts";
import type { Exchange } from "../../transport/transport.ts";

/** How an exchange is to be treated. */
export interface GuardTerms {
  readonly mode: Mode;
  readonly policy: Policy;
}

export interface ClientChoice {
  /** Clients may ask for another mode or policy, with `x-unloop-mode` and `x-unloop-policy`. */
  readonly allowClientOverrides: boolean;
  /** By which the operator tells tenants apart, beside their credentials. */
  readonly tenantHeader: string | undefined;
  readonly policyNamed: (name: string) => Policy | undefined;
}

/** The operator's terms, or the client's where it has a say; what it asks for in vain is ignored. */
export function termsFor(exchange: Exchange, operator: GuardTerms & ClientChoice): GuardTerms {
  const { mode, policy, allowClientOverrides, policyNamed } = operator;
  if (!allowClientOverrides) return operator;
  const asked = fieldOf(exchange, "x-unloop-mode");
  const named = fieldOf(exchange, "x-unloop-policy");
  return {
    mode: asked === "enforce" || asked === "observe" || asked === "off" ? asked : mode,
    policy: (named === undefined ? undefined : policyNamed(named)) ?? policy,
  };
}

/** What a request says about the run it belongs to. */
export function requestMetadata(
  exchange: Exchange,
  pathSession: string | undefined,
  { field }: ParsedRequest,
  context: Pick<ClientChoice, "tenantHeader">,
): RequestMetadata {
  return { ...headerMetadata(exchange, pathSession, context), field };
}

/** The same without what its body says. */
export function headerMetadata(
  exchange: Exchange,
  pathSession: string | undefined,
  { tenantHeader }: Pick<ClientChoice, "tenantHeader">,
): Omit<RequestMetadata, "field"> {
  const query = exchange.target.split("?", 2)[1];
  return {
    header: (name) => fieldOf(exchange, name),
    headerNames: Object.keys(exchange.fields),
    tenantHeader,
    pathSession,
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
  };
}

export function fieldOf({ fields }: Exchange, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}
