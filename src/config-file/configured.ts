import { type Rule, type Ruleset, ruleset, type RuleTerms, type Settings } from "../config/config.ts";
import { globMatcher } from "../text/glob.ts";
import { equalJson } from "../text/json-equal.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { type Policy, policyNamed, presetNamed } from "../policy/policy.ts";
import type { ConfigFile } from "./read.ts";
import {
  httpUrl,
  type InputShape,
  isMapping,
  type Path,
  type Problem,
  problemsIn,
  secretText,
  webhookUrl,
} from "../shapes/shapes.ts";
import { configFileShape, type ConfigFileText } from "./schema.ts";

export interface Configured extends ReturnType<typeof partsWithSecrets> {
  readonly mode: Settings["mode"];
  readonly policy: Policy;
  readonly policies: ReadonlyMap<string, Policy>;
  /** Per cent of sessions that are enforced if no rule matches; undefined: all. */
  readonly rollout: number | undefined;
  readonly rules: Ruleset;
  readonly proxies: readonly string[];
  readonly upstreams: Readonly<Record<string, URL>>;
  readonly allowClientOverrides: boolean;
  readonly text: ConfigFileText;
}

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file; undefined if it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

/** @param before what was in force: an unchanged policy stays the same object, so that threads keep what is known of them @throws UnloopError `bad_setting` */
export function configure(
  { text, policies: read, refused }: ConfigFile,
  settings: Pick<Settings, "mode" | "policy">,
  sources: SecretSources,
  before?: Pick<Configured, "mode" | "policy" | "policies" | "text">,
): Configured {
  const unchanged = (policy: Policy, candidate: Policy | undefined) =>
    equalJson(policy, candidate) ? (candidate ?? policy) : policy;
  const policies = new Map([...read].map(([name, policy]) => [name, unchanged(policy, before?.policies.get(name))]));
  const named = (name: string): Policy =>
    policies.get(name) ?? presetNamed(name) ?? unchanged(policyNamed(name, "policy"), before?.policy);
  const { mode } = settings;
  const policy = named(settings.policy);
  const terms = (rule: string | undefined, said: Said): RuleTerms => ({
    rule,
    mode: said.mode ?? mode,
    policy: said.policy === undefined ? policy : named(said.policy),
    rollout: said.rollout,
  });
  const modes = { before: before?.mode ?? mode, now: mode };
  const problems: Problem[] = before === undefined ? [] : [...openings(configFileShape, before.text, text, modes)];
  const parts = partsWithSecrets(text, sources, problems);
  if (problems.length > 0) throw refused(problems);
  const rules: readonly Rule[] = [
    ...(text.rules ?? []).map(({ name, when = {}, ...said }) => ({ name, when, terms: terms(name, said) })),
    // Behind all rules: what a client key says of itself.
    ...(text.clients ?? [])
      .filter((client) => client.policy !== undefined || client.mode !== undefined)
      .map(({ name, mode, policy }) => ({
        name: `client ${name}`,
        when: { client: name },
        terms: terms(`client ${name}`, { mode, policy }),
      })),
  ];
  return {
    ...parts,
    mode,
    policy,
    policies,
    rollout: text.rollout,
    rules: ruleset(rules, terms(undefined, { rollout: text.rollout })),
    proxies: text.admin?.proxies ?? [],
    upstreams: Object.fromEntries(
      Object.entries(text.upstreams ?? {}).flatMap(([prefix, url]) => (url === null ? [] : [[prefix, new URL(url)]])),
    ),
    allowClientOverrides: text.allowClientOverrides ?? false,
    text,
  };
}

/** Client keys, tokens and alerts with their secrets in place. What stands elsewhere is never repeated in a sentence. */
function partsWithSecrets(
  { clients = [], admin, alerts = [] }: ConfigFileText,
  sources: SecretSources,
  problems: Problem[],
) {
  const secret = ({ env, file }: SecretPlace, path: Path): string => {
    const found = env === undefined ? sources.readFile(file ?? "")?.trim() : sources.env[env];
    // A name that leads nowhere may be the secret itself.
    const where = env === undefined ? "file" : "variable";
    if (!found) problems.push({ path, problem: `stands in a ${where} that is empty or not there.` });
    return found ?? "";
  };
  const checked = (shape: InputShape, place: string | SecretPlace, path: Path): string => {
    const found = typeof place === "string" ? place : secret(place, path);
    const [wrong] = typeof place !== "string" && found === "" ? [] : problemsIn(shape, found, path);
    if (wrong !== undefined) problems.push(wrong);
    return found;
  };
  return {
    clients: clients.map(({ name, tenant, sha256, expires, models, requestsPerMinute, upstreamKey }, i) => ({
      ...{ name, tenant, sha256, models, mayAsk: mayAsk(models) },
      // Unix time, milliseconds; undefined: never.
      expires: expires === undefined || expires === "never" ? undefined : Date.parse(expires),
      requestsPerMinute: requestsPerMinute === "unlimited" ? undefined : requestsPerMinute,
      upstreamKey: upstreamKey && secret(upstreamKey, ["clients", i, "upstreamKey"]),
    })),
    tokens: (admin?.tokens ?? []).map(({ name, role, tenant, group, sha256, ...place }, i) => ({
      ...{ name, role, group },
      tenant: tenant === "*" ? undefined : tenant,
      // None where a group of people stands in its place.
      sha256: group === undefined ? (sha256 ?? sha256Hex(secret(place, ["admin", "tokens", i]))) : undefined,
    })),
    // A filter that is undefined lets everything through.
    alerts: alerts.map(({ name, url, secret: key, on, policies, rules, tenants, detectors }, i) => ({
      ...{ name, policies, rules, tenants, detectors },
      on: on ?? (["force-done", "short-circuit", "cut"] as const),
      url: httpUrl(checked(webhookUrl, url, ["alerts", i, "url"])) ?? NOWHERE,
      secret: key && checked(secretText, key, ["alerts", i, "secret"]),
    })),
  };
}

type Said = { readonly [Name in "mode" | "rollout"]?: RuleTerms[Name] | undefined } & {
  readonly policy?: string | undefined;
};

type SecretPlace = Partial<Readonly<Record<"env" | "file", string | undefined>>>;

const NOWHERE = new URL("http://invalid");

/** Undefined where all models may be asked. */
function mayAsk(models: string | readonly string[] = "*"): ((model: string) => boolean) | undefined {
  const patterns = [models].flat();
  if (patterns.includes("*")) return undefined;
  const matchers = patterns.map(globMatcher);
  return (model) => model !== "" && matchers.some((matches) => matches(model));
}

/** What a file that was emptied, cut, or read while it was written would open without a word: a field that narrows is gone. */
function openings(
  shape: InputShape,
  before: unknown,
  after: unknown,
  modes: Modes,
  path: Path = [],
): readonly Problem[] {
  const { fields = {}, items } = shape;
  if (Array.isArray(before) && Array.isArray(after) && items !== undefined)
    return after.flatMap((one, i) => {
      const same = before.find((other) => isSame(one, other));
      return same === undefined ? [] : openings(items, same, one, modes, [...path, i]);
    });
  if (!isMapping(before)) return [];
  const now = isMapping(after) ? after : {};
  // An empty mapping says that all of its names are gone.
  const mayGo = items?.narrows === undefined || Object.keys(now).length === 0;
  const named = items === undefined ? [] : Object.keys(mayGo ? now : before).map((name) => [name, items] as const);
  return [...Object.entries(fields), ...named].flatMap(([name, field]) => {
    const at = [...path, name];
    if (
      field.narrows === undefined ||
      now[name] !== undefined ||
      !isClosed(before[name], field.narrows) ||
      enforcesNoMore(field.narrows, path.length === 0 ? modes.before : before.mode, now.mode ?? modes.now)
    )
      return openings(field, before[name], now[name], modes, at);
    return [{ path: at, problem: `is missing, and narrows what is in force; write \`${field.narrows}\` to open it.` }];
  });
}

/** In force for the file as a whole, by flag, environment or file. */
type Modes = Readonly<Record<"before" | "now", Settings["mode"]>>;

/** A mode or a rollout that is gone opens nothing where the mode that holds now is as strict. */
function enforcesNoMore(open: string, before: unknown, now: unknown): boolean {
  if (open === "rollout: 100") return now !== "enforce";
  return open === "mode: enforce" && (now === before || now === "off" || before === "enforce");
}

/** Whether a value keeps anything closed: nothing and an empty one do not, nor does the one that opens. */
function isClosed(value: unknown, open: string): boolean {
  const text = JSON.stringify(value ?? null).replaceAll('"', "");
  return !["null", "{}", "[]"].includes(text) && !open.replaceAll('"', "").endsWith(`: ${text}`);
}

/** Entries are the same by their name or by their secret: either may be changed while the other stays. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isMapping(one) || !isMapping(other)) return false;
  return ["name", "sha256", "env", "file", "group"].some((key) => one[key] !== undefined && one[key] === other[key]);
}
