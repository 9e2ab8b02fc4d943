import { isObject } from "./json-values.ts";
import { elementsOf, membersOf, type Span } from "./spans.ts";

/** Puts `text` in the place of what lies between `start` and `end`. */
export interface Splice extends Span {
  readonly text: string;
}

/** A value of the body and where its text lies. */
export interface LocatedValue<Value> {
  readonly value: Value;
  readonly span: Span;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** The piece of the body with the splices made; none of them may overlap another. */
export function spliced(body: string, splices: readonly Splice[], { start, end }: Span): string {
  const pieces: string[] = [];
  let from = start;
  for (const splice of splices.toSorted((one, other) => one.start - other.start)) {
    pieces.push(body.slice(from, splice.start), splice.text);
    from = splice.end;
  }
  return pieces.join("") + body.slice(from, end);
}

export function placedElements(
  body: string,
  values: readonly unknown[],
  array: Span | undefined,
): readonly LocatedValue<unknown>[] {
  const spans = array === undefined ? [] : elementsOf(body, array);
  return spans.map((span, index) => ({ value: values[index], span }));
}

/** Follows the path of member names inwards; undefined where it ends early. */
export function placedWithin(
  body: string,
  from: LocatedValue<unknown>,
  path: readonly string[],
): LocatedValue<unknown> | undefined {
  let place = from;
  for (const name of path) {
    const span = membersOf(body, place.span).get(name);
    if (span === undefined || !isObject(place.value)) return undefined;
    place = { value: place.value[name], span };
  }
  return place;
}
