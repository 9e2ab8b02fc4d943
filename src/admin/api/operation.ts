import { type Policy, presetNamed } from "../../policy/policy.ts";
import type { GuardContext } from "../../proxy/proxy.ts";
import {
  anyText,
  check,
  type InputShape,
  isMapping,
  list,
  object,
  pathText,
  problemsIn,
  recordOf,
  type Shapes,
  textOr,
  where,
} from "../../shapes/shapes.ts";
import type { Stores } from "../../store/store.ts";
import { type Actor, forbidden, type Role } from "../access.ts";

export interface ApiServices {
  readonly version: string;
  readonly stores: Stores;
  readonly guard: () => GuardContext;
  /** What operators should know of the deployment, in sentences; nothing without it. */
  readonly warnings?: () => readonly string[];
  /** Unix time, milliseconds. */
  readonly now: () => number;
}

export interface ApiCall<Body = unknown> extends ApiServices {
  readonly actor: Actor;
  readonly id: string;
  readonly query: (name: string) => string | undefined;
  readonly body: Body;
}

/** An operation of the admin API: route, checks and access derive from it. docs/openapi.json describes it. */
export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly query?: Shapes;
  readonly body?: InputShape;
  readonly handle: (call: ApiCall<never>) => object | Promise<object>;
}

type Handler<Body> = (call: ApiCall<Body>) => object | Promise<object>;

export function get(path: string, handle: Handler<undefined>, query?: Shapes) {
  return { method: "get", path, role: "read", handle, ...(query && { query }) } as const;
}

export function post<Body>(path: string, body: InputShape<Body>, handle: Handler<Body>) {
  return { method: "post", path, role: "read", body, handle } as const;
}

export class ApiError extends Error {
  readonly status: 400 | 403 | 404 | 413;
  readonly code: string;

  constructor(status: ApiError["status"], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const notFound = (what: string) => new ApiError(404, "not_found", `There is no ${what}.`);
export const badRequest = (message: string) => new ApiError(400, "bad_request", message);

export function refuseTenants({ actor }: ApiCall): void {
  if (actor.tenant === undefined) return;
  const { code, message } = forbidden(`The token "${actor.name}" is limited to the tenant ${actor.tenant}.`);
  throw new ApiError(403, code, message);
}

export const body = <Known extends Shapes>(shapes: Known) => object(shapes, () => "must be an object.");

export const anyObject = (problem: string): InputShape<object> =>
  check({ type: "object" }, (value) => (isMapping(value) ? undefined : problem));

export const policyOrName = textOr(anyText, anyObject("must be a policy's name, or a policy as JSON."));

export const headerFields = recordOf(anyText, anyText, { kind: "an object of texts" });

export function atMost<Value>(most: number, one: InputShape<Value>): InputShape<readonly Value[]> {
  const all = list(one);
  const bounded = where(all, ({ length }) => length <= most, `must be a list of at most ${most}.`);
  return { ...bounded, schema: { ...all.schema, maxItems: most } };
}

/** A misspelt name goes first: it may be why another is missing. @throws ApiError where a value is not what its shape says */
export function refuseWrong(shape: InputShape, value: unknown, what: "body" | "query"): void {
  const problems = problemsIn(shape, value);
  const wrong = problems.find(({ field }) => field !== undefined) ?? problems[0];
  if (wrong === undefined) return;
  const { path, problem, field } = wrong;
  if (field === undefined) throw badRequest(`${path.length === 0 ? `The ${what}` : pathText(path)} ${problem}`);
  const names = Object.keys(Object(shape.schema.properties)).join(", ") || "none";
  throw badRequest(`${JSON.stringify(field.slice(0, 64))} is not a field of this ${what}; it takes ${names}.`);
}

/** @param tenant a tenant that is to see no policy of others alone */
export function visiblePolicy(name: string, { configuration }: GuardContext, tenant?: string): Policy | undefined {
  return visiblePolicies(configuration, tenant).get(name) ?? presetNamed(name);
}

/** The file's policies; for a tenant only those that its own requests may be judged by. */
export function visiblePolicies(
  { policy, rules, clients, filePolicies }: GuardContext["configuration"],
  tenant?: string,
) {
  if (tenant === undefined) return filePolicies;
  const own = clients.filter((client) => client.tenant === tenant).map(({ name }) => name);
  const names = new Set([policy.name, ...rules.policiesFor(tenant, own)]);
  return new Map([...filePolicies].filter(([name]) => names.has(name)));
}
