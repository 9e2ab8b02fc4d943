import type { Path, Problem } from "../shapes/shapes.ts";
import { globMatcher } from "../text/glob.ts";
import { withoutEndSlashes } from "../text/without-end-slashes.ts";
import type { ConfigFileText } from "./schema.ts";

type When = NonNullable<NonNullable<ConfigFileText["rules"]>[number]["when"]>;
type Clients = NonNullable<ConfigFileText["clients"]>;

/** What falls under a rule, or under what a client key says of itself, falls under rules before it already. */
export function hiddenRules({ rules = [], clients = [], rollout }: ConfigFileText): readonly Problem[] {
  const all = rules.map(({ when = {} }) => covering(when));
  const hiderOf = (when: When, before = all) => {
    const first = before.findIndex((covers) => covers({ when, tenants: tenantsOf(when, clients) }));
    return first === -1 ? undefined : `rules[${first}] before it takes all that it would`;
  };
  return [
    ...rules.flatMap(({ when = {} }, i) => {
      const by = hiderOf(when, all.slice(0, i));
      return problemAt(["rules", i], by && `is never reached: ${by}. Move it up, or remove it.`);
    }),
    ...clients.flatMap(({ name: client, policy, mode }, i) => {
      const by = policy === undefined && mode === undefined ? undefined : hiderOf({ client });
      const field = policy === undefined ? "mode" : "policy";
      return problemAt(
        ["clients", i, field],
        by && `has no effect: ${by}. Say it in a rule before that one, or remove it.`,
      );
    }),
    ...problemAt(
      ["rollout"],
      rollout !== undefined && hiderOf({}) && "has no effect: a rule takes all requests. Say it in that rule.",
    ),
  ];
}

function problemAt(path: Path, problem: string | false | undefined): readonly Problem[] {
  return problem ? [{ path, problem }] : [];
}

/** A condition, and the tenants that its client keys have. */
interface Narrower {
  readonly when: When;
  readonly tenants: readonly string[] | undefined;
}

type Covers = (narrower: Narrower) => boolean;

/** Whether all that falls under another condition falls under this one. */
function covering({ path, header = {}, tenant, ...texts }: When): Covers {
  const headers = Object.entries(header).map(([name, pattern]) => [name, taking(pattern)] as const);
  const ofTenant = taking(tenant);
  const others = Object.entries(texts).map(
    ([name, patterns]) => [name as keyof typeof texts, taking(patterns)] as const,
  );
  return ({ when, tenants }) =>
    (path === undefined || isUnder(when.path, path)) &&
    headers.every(([name, takes]) => takes(headerIn(when, name))) &&
    others.every(([name, takes]) => takes(when[name])) &&
    (tenant === undefined || ofTenant(when.tenant) || ofTenant(tenants));
}

/** A client key says whose it is. */
function tenantsOf({ client }: When, clients: Clients): readonly string[] | undefined {
  if (client === undefined) return undefined;
  const isNamed = matching(client);
  const own = clients.filter(({ name }) => isNamed(name)).map(({ tenant }) => tenant);
  return own.length === 0 ? undefined : own;
}

function isUnder(path: string | undefined, prefix: string): boolean {
  const base = withoutEndSlashes(prefix);
  return base === "" || (path !== undefined && `${path}/`.startsWith(`${base}/`));
}

function headerIn({ header = {} }: When, name: string): string | undefined {
  return Object.entries(header).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
}

type Patterns = string | readonly string[];

/** Whether all that the narrower patterns take these do. A star in one is taken by a star alone. */
function taking(patterns: Patterns | undefined): (narrower: Patterns | undefined) => boolean {
  if (patterns === undefined) return () => true;
  const matches = matching(patterns);
  return (narrower) =>
    narrower !== undefined && (typeof narrower === "string" ? matches(narrower) : narrower.every(matches));
}

/** Whether a text fits one of the patterns. */
function matching(patterns: Patterns): (text: string) => boolean {
  const matchers = [patterns].flat().map(globMatcher);
  return (text) => matchers.some((matches) => matches(text));
}
