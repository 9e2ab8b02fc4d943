import { isMapping, type Path, type Problem } from "../../shapes/shapes.ts";
import { globMatcher } from "../../text/glob.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { ConfigFileText } from "../schema.ts";
import { matching } from "./hidden-rules.ts";

type Patterns = string | readonly string[] | undefined;

/** Patterns that nothing fits. */
export function unmatchedPatterns(file: ConfigFileText): readonly Problem[] {
  const { rules = [], clients = [], policies = {} } = file;
  return [
    ...rules.flatMap(({ when: { header = {}, ...when } = {} }, i) => {
      const at = ["rules", i, "when"];
      const texts = (["agent", "model", "userAgent"] as const).flatMap((name) =>
        each([...at, name], when[name], (pattern) => impossible(pattern, name)),
      );
      return [...names(at, when, file), ...texts, ...headers([...at, "header"], header)];
    }),
    ...Object.entries(policies).flatMap(([name, policy]) => {
      const tools = isMapping(policy) && isMapping(policy.tools) ? policy.tools : {};
      return Object.keys(tools).flatMap((tool) =>
        each(["policies", name, "tools", tool], tool, (pattern) => impossible(pattern, "tool")),
      );
    }),
    ...clients.flatMap(({ models }, i) =>
      each(["clients", i, "models"], models, (pattern) => impossible(pattern, "model")),
    ),
  ];
}

/** Only a client key gives a request its name and its tenant. */
function names(
  at: Path,
  { tenant, client }: { readonly tenant?: Patterns; readonly client?: Patterns },
  { clients = [], admin: { tokens = [] } = {} }: ConfigFileText,
): readonly Problem[] {
  const clientNames = clients.map(({ name }) => name);
  const tenants = clients.map((one) => one.tenant);
  // A team that may look in may get its first key later.
  const teams = [...tenants, ...tokens.flatMap(({ tenant: team = "*" }) => (team === "*" ? [] : [team]))];
  const unknown = [
    ...each([...at, "tenant"], tenant, (pattern) =>
      unmatched(pattern, {
        names: teams,
        others: clientNames,
        kind: "tenant of a client key or token",
        other: "client",
      }),
    ),
    ...each([...at, "client"], client, (pattern) =>
      unmatched(pattern, { names: clientNames, others: tenants, kind: "client key", other: "tenant" }),
    ),
  ];
  if (unknown.length > 0 || tenant === undefined || client === undefined) return unknown;
  const [isTheirs, isNamed] = [matching(tenant), matching(client)];
  if (clients.some((one) => isTheirs(one.tenant) && isNamed(one.name))) return [];
  return [
    { path: [...at, "client"], problem: "matches no client key of the rule's tenant; correct it, or take one out" },
  ];
}

interface Known {
  readonly names: readonly string[];
  readonly kind: string;
  /** Names that stand in another condition. */
  readonly others: readonly string[];
  readonly other: string;
}

function unmatched(pattern: string, { names: known, kind, others, other }: Known): string | undefined {
  const matches = globMatcher(pattern);
  if (known.some(matches)) return undefined;
  const did = others.some(matches) ? `; the condition for this one is "${other}"` : meant(pattern, known);
  return `matches no ${kind} of this file${did}; correct it, or take it out`;
}

export function meant(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** @param wrong the problem with a pattern, if it has one */
function each(path: Path, patterns: Patterns, wrong: (pattern: string) => string | undefined): readonly Problem[] {
  return [patterns ?? []].flat().flatMap((pattern, i) => {
    const problem = wrong(pattern);
    return problem === undefined ? [] : [{ path: typeof patterns === "string" ? path : [...path, i], problem }];
  });
}

/** Signs that no such text has; whoever writes them means something else by them. */
const STRANGE: readonly { readonly of: RegExp; readonly signs: RegExp; readonly problem: string }[] = [
  { of: /./, signs: /^\s|\s$/, problem: "has a space at its beginning or end, and so fits nothing; take it out" },
  {
    of: /^(?:model|agent|tool)$/,
    signs: /,/,
    problem: "has a comma, and so fits nothing; several of them are a list, or an entry each",
  },
  {
    of: /./,
    signs: /^\^|\$$|^\.\*/,
    problem: "is a regular expression, and so fits nothing; in a pattern only * has a meaning: any characters",
  },
  {
    of: /^(?:model|agent|tool)$/,
    signs: /[?|\\()[\]^]|^\//,
    problem: "is a regular expression, and so fits nothing; in a pattern only * has a meaning: any characters",
  },
  {
    of: /^agent$/,
    signs: /\/v?\d/,
    problem: "has a version, and an agent's name has none; take it out, or write it under userAgent",
  },
];

function impossible(pattern: string, name: string): string | undefined {
  return STRANGE.find(({ of, signs }) => of.test(name) && signs.test(pattern))?.problem;
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;

function headers(at: Path, header: Readonly<Record<string, string>>): readonly Problem[] {
  const lower = Object.keys(header).map((name) => name.toLowerCase());
  return Object.entries(header).flatMap(([name, pattern], i) => {
    const problem = !TOKEN.test(name)
      ? "has a sign that no header's name has; write it as x-team: value"
      : lower.indexOf(name.toLowerCase()) < i
        ? "stands here already in other letters; remove one, or use a * in its pattern"
        : impossible(pattern, "header");
    return problem === undefined ? [] : [{ path: [...at, name], problem }];
  });
}
