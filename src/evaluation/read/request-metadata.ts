import type { Mode } from "../../config/config.ts";
import type { Policy } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import type { RequestMetadata } from "../../session/session.ts";
import type { Exchange } from "../../transport/transport.ts";
import type { ExchangeContext } from "../../proxy/guard-context.ts";

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
export function withOverrides(exchange: Exchange, chosen: ExchangeContext): ExchangeContext {
  const { allowClientOverrides, policyNamed } = chosen;
  if (!allowClientOverrides) return chosen;
  const asked = fieldOf(exchange, "x-unloop-mode");
  const mode = asked === "enforce" || asked === "observe" || asked === "off" ? asked : undefined;
  const named = fieldOf(exchange, "x-unloop-policy");
  const policy = named === undefined ? undefined : policyNamed(named);
  return mode === undefined && policy === undefined ? chosen : overridden(chosen, { mode, policy });
}

interface Override {
  readonly mode: Mode | undefined;
  readonly policy: Policy | undefined;
}

/** What the client has not chosen is still chosen by rules. */
function overridden(chosen: ExchangeContext, override: Override): ExchangeContext {
  const { mode = chosen.mode, policy = chosen.policy } = override;
  return {
    ...chosen,
    mode,
    policy,
    forModel: (model) => overridden(chosen.forModel(model), override),
    forSession: (key) => overridden(chosen.forSession(key), override),
  };
}

/** What a request says about the run it belongs to. */
export function requestMetadata(
  exchange: Exchange,
  pathSession: string | undefined,
  { field }: ParsedRequest,
  context: Pick<ExchangeContext, "tenantHeader" | "placement">,
): RequestMetadata {
  return { ...headerMetadata(exchange, pathSession, context), field };
}

export type HeaderMetadata = Omit<RequestMetadata, "field">;

/** The same without what its body says. */
export function headerMetadata(
  exchange: Exchange,
  pathSession: string | undefined,
  { tenantHeader, placement: { tenant } }: Pick<ExchangeContext, "tenantHeader" | "placement">,
): HeaderMetadata {
  const query = exchange.target.split("?", 2)[1];
  return {
    header: (name) => fieldOf(exchange, name),
    headerNames: Object.keys(exchange.fields),
    tenantHeader,
    pathSession,
    tenant,
    query: (name) => (query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined)),
  };
}

export function fieldOf({ fields }: Pick<Exchange, "fields">, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}
