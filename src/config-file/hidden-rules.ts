import type { Problem } from "../shapes/shapes.ts";
import { globMatcher } from "../text/glob.ts";
import { withoutEndSlashes } from "../text/without-end-slashes.ts";
import type { ConfigFileText } from "./schema.ts";

type RuleText = NonNullable<ConfigFileText["rules"]>[number];
type When = NonNullable<RuleText["when"]>;

/** What falls under a rule falls under this one before it already. */
export function hidden(rules: readonly RuleText[], i: number): readonly Problem[] {
  const { when = {} } = rules[i] ?? {};
  const first = rules.findIndex((earlier, j) => j < i && covers(earlier.when ?? {}, when));
  if (first === -1) return [];
  const has = Object.keys(rules[first]?.when ?? {}).length === 0 ? "has no conditions" : "takes all that it would";
  const problem = `is never reached: rules[${first}] before it ${has}. Move that one behind it, or remove one.`;
  return [{ path: ["rules", i], problem }];
}

function covers({ path, header = {}, ...texts }: When, narrower: When): boolean {
  return (
    (path === undefined || isUnder(narrower.path, path)) &&
    Object.entries(header).every(([name, pattern]) => takes(pattern, headerIn(narrower, name))) &&
    Object.entries(texts).every(([name, patterns]) => takes(patterns, narrower[name as keyof typeof texts]))
  );
}

function isUnder(path: string | undefined, prefix: string): boolean {
  const base = withoutEndSlashes(prefix);
  return `${path ?? ""}/`.startsWith(`${base}/`) && path !== undefined;
}

function headerIn({ header = {} }: When, name: string): string | undefined {
  return Object.entries(header).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
}

type Patterns = string | readonly string[] | undefined;

/** Whether all that the narrower patterns take these do. A star in one is taken by a star alone. */
function takes(patterns: Patterns, narrower: Patterns): boolean {
  if (patterns === undefined) return true;
  const matchers = [patterns].flat().map(globMatcher);
  return narrower !== undefined && [narrower].flat().every((text) => matchers.some((matches) => matches(text)));
}
