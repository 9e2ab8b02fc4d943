import { settingsTable } from "../config/config.ts";
import { type JsonSchema, type Path, type Problem, isMapping } from "../shapes/shapes.ts";
import { configJsonSchema } from "./schema.ts";

/** Where a name stands: of a list `[]` for each entry, of a mapping with names of the file's own `*`. */
type Pattern = readonly string[];

/**
 * Mistakes in names, told as what they are: the name of a field that there is at another place, or of a setting of the environment.
 * A place within the same mapping comes before a similar name of that mapping, and any other place behind it.
 */
export function namedElsewhere(): (one: Problem) => Problem {
  const places = new Map<string, readonly Pattern[]>();
  for (const pattern of patternsIn([[configJsonSchema(), []]])) {
    const name = pattern.at(-1) ?? "";
    places.set(name, [...(places.get(name) ?? []), pattern]);
  }
  return (one) => {
    const { path, field, problem } = one;
    if (field === undefined) return one;
    const all = places.get(field) ?? [];
    const isSimilar = problem.includes("did you mean");
    const place = all.find((pattern) => isBelow(pattern, path)) ?? (isSimilar ? undefined : all[0]);
    if (place !== undefined) return { ...one, problem: `has a name that stands elsewhere, as ${written(place)}.` };
    const setting = Object.entries(settingsTable).find(([name, { env }]) => field === name || field === env)?.[1];
    if (setting === undefined || isSimilar) return one;
    return { ...one, problem: `has a setting of the environment; set ${setting.env} there.` };
  };
}

/** Breadth first: what stands nearer to the beginning is what is meant more likely. */
function patternsIn(level: readonly (readonly [JsonSchema, Pattern])[]): readonly Pattern[] {
  if (level.length === 0) return [];
  const next = level.flatMap(([schema, at]) => inside(schema, at));
  const named = next.map(([, pattern]) => pattern).filter((pattern) => !/^(?:\*|\[\])$/.test(pattern.at(-1) ?? "*"));
  return [...named, ...patternsIn(next)];
}

function inside(
  { properties = {}, additionalProperties, items, anyOf = [] }: JsonSchema,
  at: Pattern,
): readonly (readonly [JsonSchema, Pattern])[] {
  const children = [...Object.entries(properties as object), ["*", additionalProperties], ["[]", items]];
  return [
    ...children.flatMap(([name, schema]) => (isMapping(schema) ? [[schema, [...at, String(name)]] as const] : [])),
    ...(anyOf as readonly JsonSchema[]).flatMap((schema) => inside(schema, at)),
  ];
}

function isBelow(pattern: Pattern, path: Path): boolean {
  const fits = (part: string | number, i: number) =>
    pattern[i] === "*" || pattern[i] === (typeof part === "number" ? "[]" : part);
  return pattern.length > path.length && path.every(fits);
}

function written(place: Pattern): string {
  return place.join(".").replaceAll(".[]", "[]");
}
