import type { Path, Problem } from "../../shapes/shapes.ts";
import { globMatcher } from "../../text/glob.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import type { ConfigFileText } from "../schema.ts";

type When = NonNullable<NonNullable<ConfigFileText["rules"]>[number]["when"]>;
type Clients = NonNullable<ConfigFileText["clients"]>;

/** What falls under a rule, or under what a client key says of itself, falls under rules before it already. */
export function hiddenRules({ rules = [], clients = [], rollout }: ConfigFileText): readonly Problem[] {
  const whens = rules.map(({ when = {} }) => when);
  return [
    ...whens.flatMap((when, i) => {
      const by = hider(when, whens.slice(0, i), clients);
      return told(["rules", i], by && `is never reached: ${by}. Move it up, or remove it.`);
    }),
    ...clients.flatMap(({ name: client, policy, mode }, i) => {
      const by = policy === undefined && mode === undefined ? undefined : hider({ client }, whens, clients);
      const field = policy === undefined ? "mode" : "policy";
      return told(["clients", i, field], by && `has no effect: ${by}. Say it in a rule before that one, or remove it.`);
    }),
    ...told(
      ["rollout"],
      rollout !== undefined &&
        hider({}, whens, clients) &&
        "has no effect: a rule takes all requests. Say it in that rule.",
    ),
  ];
}

function told(path: Path, problem: string | false | undefined): readonly Problem[] {
  return problem ? [{ path, problem }] : [];
}

/** Which of the rules before it hide one. */
function hider(when: When, before: readonly When[], clients: Clients): string | undefined {
  const first = before.findIndex((earlier) => covers(earlier, when, clients));
  if (first !== -1) return `rules[${first}] before it takes all that it would`;
  const isTaken = (one: When) => before.some((earlier) => covers(earlier, one, clients));
  const isHidden = alternatives(when).some((ones) => ones.every(isTaken));
  return isHidden ? "rules before it, together, take all that it would" : undefined;
}

/** A rule with a list is one rule for each entry; of several lists each is looked at by itself, as products grow. */
function alternatives(when: When): readonly (readonly When[])[] {
  return Object.entries(when).flatMap(([name, list]) =>
    Array.isArray(list) && list.length > 1 ? [list.map((one): When => ({ ...when, [name]: one }))] : [],
  );
}

function covers({ path, header = {}, tenant, ...texts }: When, narrower: When, clients: Clients): boolean {
  return (
    (path === undefined || isUnder(narrower.path, path)) &&
    Object.entries(header).every(([name, pattern]) => takes(pattern, headerIn(narrower, name))) &&
    (takes(tenant, narrower.tenant) || takes(tenant, tenantsOf(narrower, clients))) &&
    Object.entries(texts).every(([name, patterns]) => takes(patterns, narrower[name as keyof typeof texts]))
  );
}

/** A client key says whose it is. */
function tenantsOf({ client }: When, clients: Clients): readonly string[] | undefined {
  if (client === undefined) return undefined;
  const own = clients.filter(({ name }) => takes(client, name)).map(({ tenant }) => tenant);
  return own.length === 0 ? undefined : own;
}

function isUnder(path: string | undefined, prefix: string): boolean {
  const base = withoutEndSlashes(prefix);
  return base === "" || (path !== undefined && `${path}/`.startsWith(`${base}/`));
}

function headerIn({ header = {} }: When, name: string): string | undefined {
  return Object.entries(header).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
}

type Patterns = string | readonly string[] | undefined;

/** Whether all that the narrower patterns take these do. A star in one is taken by a star alone. */
export function takes(patterns: Patterns, narrower: Patterns): boolean {
  if (patterns === undefined) return true;
  const matchers = [patterns].flat().map(globMatcher);
  return narrower !== undefined && [narrower].flat().every((text) => matchers.some((matches) => matches(text)));
}
