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
import { badRequest } from "./operation.ts";

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
