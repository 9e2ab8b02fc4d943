import { globMatcher } from "../../text/glob.ts";
import { memoizeByRef } from "../memoize-by-ref.ts";

/** What a policy says by tool: under a tool's name, under a pattern with stars, and under `*` for all. */
export type ByTool<Said> = Readonly<Record<string, Said>>;

/** What is said of a tool, the most telling first: its own, then patterns by their length, then that of all tools. */
export function saidOf<Said>(all: ByTool<Said>, tool: string): readonly Said[] {
  const own = Object.hasOwn(all, tool) && !tool.includes("*") ? all[tool] : undefined;
  const patterns = patternsIn(all) as readonly ToolPattern<Said>[];
  if (patterns.length === 0) return own === undefined ? NOTHING : [own];
  const matching = patterns.filter(({ matches }) => matches(tool)).map(({ said }) => said);
  return own === undefined ? matching : [own, ...matching];
}

const NOTHING: readonly never[] = [];

interface ToolPattern<Said> {
  readonly matches: (tool: string) => boolean;
  readonly said: Said;
}

const patternsIn = memoizeByRef((all: ByTool<unknown>): readonly ToolPattern<unknown>[] =>
  Object.entries(all)
    .filter(([name]) => name.includes("*"))
    .sort(([a], [b]) => b.length - a.length)
    .map(([name, said]) => ({ matches: name === "*" ? () => true : globMatcher(name), said })),
);
