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
import type { AnswerView } from "./view.ts";

export interface ApiServices {
  readonly version: string;
  readonly stores: Stores;
  readonly guard: () => GuardContext;
  /** The API's document; undefined where the platform serves it as a file. */
  readonly openApi?: (version: string) => object;
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

/** An operation of the admin API: route, checks, access and the OpenAPI document derive from it. */
export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: Shapes;
  readonly body?: InputShape;
  readonly answer: AnswerView<never>;
  readonly handle: (call: ApiCall<never>) => unknown;
}

type Handler<Body, Source> = (call: ApiCall<Body>) => Source | Promise<Source>;

export function get<Source>(
  path: string,
  summary: string,
  answer: AnswerView<Source>,
  handle: Handler<undefined, Source>,
  query?: Shapes,
) {
  return { method: "get", path, role: "read", summary, answer, handle, ...(query && { query }) } as const;
}

export function post<Body, Source>(
  path: string,
  summary: string,
  body: InputShape<Body>,
  answer: AnswerView<Source>,
  handle: Handler<Body, Source>,
) {
  return { method: "post", path, role: "read", summary, body, answer, handle } as const;
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
