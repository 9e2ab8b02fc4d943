import {
  type AlertOccasion,
  type Rule,
  type Ruleset,
  ruleset,
  type RuleTerms,
  type Settings,
} from "../config/config.ts";
import { globMatcher } from "../text/glob.ts";
import { equalJson } from "../text/json-equal.ts";
import { type Policy, policyNamed, presetNamed } from "../policy/policy.ts";
import type { ConfigFile, FileProblem } from "./read.ts";
import {
  type InputShape,
  isMapping,
  type Path,
  type Problem,
  problemsIn,
  secretText,
  webhookUrl,
} from "../shapes/shapes.ts";
import { configFileShape, type ConfigFileText } from "./schema.ts";

/** A client key, and where the key stands that replaces it. */
export interface ConfiguredClient {
  readonly name: string;
  readonly tenant: string;
  readonly sha256: string;
  /** Unix time, milliseconds; undefined: never. */
  readonly expires: number | undefined;
  readonly models: string | readonly string[] | undefined;
  readonly mayAsk: ((model: string) => boolean) | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly upstreamKey: string | undefined;
}

export interface ConfiguredToken {
  readonly name: string;
  readonly role: "metrics" | "read" | "operate";
  readonly tenant: string | undefined;
  /** Undefined where a group of people stands in its place. */
  readonly sha256: string | undefined;
  readonly group?: string | undefined;
}

/** Configuration from a file, with all that the file refers to. */
export interface Configured {
  readonly mode: Settings["mode"];
  readonly policy: Policy;
  readonly policies: ReadonlyMap<string, Policy>;
  /** Per cent of sessions that are enforced if no rule matches; undefined: all. */
  readonly rollout: number | undefined;
  readonly rules: Ruleset;
  readonly clients: readonly ConfiguredClient[];
  readonly tokens: readonly ConfiguredToken[];
  /** Addresses and networks of identity proxies. */
  readonly proxies: readonly string[];
  readonly alerts: readonly ConfiguredAlert[];
  readonly upstreams: Readonly<Record<string, URL>>;
  /** Clients may choose mode and policy in headers. */
  readonly allowClientOverrides: boolean;
  /** As the file says it. */
  readonly text: ConfigFileText;
}

/** Where secrets stand that the file only names. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file; undefined if it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
  readonly sha256: (text: string) => string;
}

/**
 * Puts a file's parts together.
 * @param settings what flags, environment and file amount to
 * @param before what was in force: a policy that has not changed stays the same object, so that threads keep what is known of them,
 * and what was closed is opened only by a file that says so
 */
export function configure(
  { text, policies: read, problemAt }: ConfigFile,
  settings: Pick<Settings, "mode" | "policy">,
  sources: SecretSources,
  before?: Pick<Configured, "policy" | "policies" | "text">,
): Configured | { readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const unchanged = (policy: Policy, candidate: Policy | undefined) =>
    equalJson(policy, candidate) ? (candidate ?? policy) : policy;
  const policies = new Map([...read].map(([name, policy]) => [name, unchanged(policy, before?.policies.get(name))]));
  const named = (name: string): Policy =>
    policies.get(name) ?? presetNamed(name) ?? unchanged(policyNamed(name, "policy"), before?.policy);
  const { mode } = settings;
  const policy = named(settings.policy);
  const terms = (rule: string | undefined, overrides: Said): RuleTerms => ({
    rule,
    mode: overrides.mode ?? mode,
    policy: overrides.policy === undefined ? policy : named(overrides.policy),
    rollout: overrides.rollout,
  });
  const secret = (place: SecretPlace, path: readonly (string | number)[]): string => {
    const secretText = place.env === undefined ? sources.readFile(place.file ?? "")?.trim() : sources.env[place.env];
    // A name that leads nowhere may be the secret itself.
    const where = place.env === undefined ? "file" : "variable";
    if (!secretText) problems.push(problemAt(path, `stands in a ${where} that is empty or not there.`));
    return secretText ?? "";
  };
  const clients = (text.clients ?? []).map((client, i) => ({
    name: client.name,
    tenant: client.tenant,
    sha256: client.sha256,
    expires: client.expires === undefined || client.expires === "never" ? undefined : Date.parse(client.expires),
    models: client.models,
    mayAsk: mayAsk(client.models),
    requestsPerMinute: client.requestsPerMinute === "unlimited" ? undefined : client.requestsPerMinute,
    upstreamKey: client.upstreamKey && secret(client.upstreamKey, ["clients", i, "upstreamKey"]),
  }));
  const tokens = (text.admin?.tokens ?? []).map((token, i) => ({
    name: token.name,
    role: token.role,
    tenant: token.tenant === "*" ? undefined : token.tenant,
    group: token.group,
    sha256:
      token.group === undefined ? (token.sha256 ?? sources.sha256(secret(token, ["admin", "tokens", i]))) : undefined,
  }));
  const alerts = configuredAlerts(text.alerts ?? [], {
    secret,
    report: (path, problem) => problems.push(problemAt(path, problem)),
  });
  if (before !== undefined)
    problems.push(...openings(configFileShape, before.text, text).map(({ path, problem }) => problemAt(path, problem)));
  if (problems.length > 0) return { problems };
  const rules: readonly Rule[] = [
    ...(text.rules ?? []).map(({ name, when = {}, ...overrides }) => ({ name, when, terms: terms(name, overrides) })),
    // Behind all rules: what a client key says of itself.
    ...(text.clients ?? [])
      .filter((client) => client.policy !== undefined || client.mode !== undefined)
      .map((client) => ({
        name: `client ${client.name}`,
        when: { client: client.name },
        terms: terms(`client ${client.name}`, client),
      })),
  ];
  const standard = terms(undefined, text.rollout === undefined ? {} : { rollout: text.rollout });
  return {
    mode,
    policy,
    policies,
    rollout: text.rollout,
    rules: ruleset(rules, standard),
    clients,
    tokens,
    proxies: text.admin?.proxies ?? [],
    alerts,
    upstreams: Object.fromEntries(Object.entries(text.upstreams ?? {}).map(([prefix, url]) => [prefix, new URL(url)])),
    allowClientOverrides: text.allowClientOverrides ?? false,
    text,
  };
}

/** Undefined where all models may be asked. */
function mayAsk(models: string | readonly string[] = "*"): ((model: string) => boolean) | undefined {
  const patterns = [models].flat();
  if (patterns.includes("*")) return undefined;
  const matchers = patterns.map(globMatcher);
  return (model) => model !== "" && matchers.some((matches) => matches(model));
}

interface Said {
  readonly mode?: Settings["mode"] | undefined;
  readonly policy?: string | undefined;
  readonly rollout?: number | undefined;
}

/**
 * What a file that is read again would open without a word: a field that narrows is in force and not there any more. A file that was
 * emptied, cut, or read while it was being written leaves things out; one that is to open them says so.
 */
function openings(shape: InputShape, before: unknown, after: unknown, path: Path = []): readonly Problem[] {
  const { fields = {}, items } = shape;
  if (Array.isArray(before) && Array.isArray(after) && items !== undefined)
    return after.flatMap((one, i) => {
      const same = before.find((other) => isSame(one, other));
      return same === undefined ? [] : openings(items, same, one, [...path, i]);
    });
  if (!isMapping(before)) return [];
  const now = isMapping(after) ? after : {};
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = [...path, name];
    if (field.narrows === undefined || now[name] !== undefined || !isClosed(before[name], field.narrows))
      return openings(field, before[name], now[name], at);
    return [{ path: at, problem: `is missing, and narrows what is in force; write \`${field.narrows}\` to open it.` }];
  });
}

/** Whether a value keeps anything closed: an empty list does not, nor does the word that opens. */
function isClosed(value: unknown, open: string): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && !open.replace(/"/g, "").endsWith(`: ${value}`);
}

/** Entries are the same by their name or by their secret: either may be changed while the other stays. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isMapping(one) || !isMapping(other)) return false;
  return ["name", "sha256", "env", "file", "group"].some((key) => one[key] !== undefined && one[key] === other[key]);
}

/** A webhook, and what it wants to be told of; another filter that is undefined lets everything through. */
interface ConfiguredAlert {
  readonly name: string;
  readonly url: URL;
  readonly secret: string | undefined;
  readonly on: readonly AlertOccasion[];
  readonly policies: readonly string[] | undefined;
  readonly rules: readonly string[] | undefined;
  readonly tenants: readonly string[] | undefined;
  readonly detectors: readonly string[] | undefined;
}

/** Where a secret stands that the file only names. */
interface SecretPlace {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
}

interface Reading {
  /** Empty for one that is not there, which is told then. */
  readonly secret: (place: SecretPlace, path: Path) => string;
  readonly report: (path: Path, problem: string) => void;
}

/** Stands for what is no URL, until that is told. */
const NOWHERE = new URL("http://invalid");

/** The file's alerts with their secrets in place. What stands elsewhere is never repeated in a sentence. */
function configuredAlerts(alerts: NonNullable<ConfigFileText["alerts"]>, reading: Reading): readonly ConfiguredAlert[] {
  return alerts.map(({ name, url, secret, on, policies, rules, tenants, detectors }, i) => ({
    name,
    url: addressIn(url, ["alerts", i, "url"], reading),
    secret: secret && signingKey(secret, ["alerts", i, "secret"], reading),
    on: on ?? ["force-done", "short-circuit", "cut"],
    policies,
    rules,
    tenants,
    detectors,
  }));
}

function addressIn(address: string | SecretPlace, path: Path, { secret, report }: Reading): URL {
  const isWritten = typeof address === "string";
  const text = isWritten ? address : secret(address, path);
  const [wrong] = isWritten || text !== "" ? problemsIn(webhookUrl, text) : [];
  if (wrong !== undefined) report(path, wrong.problem);
  return wrong === undefined && text !== "" ? new URL(text) : NOWHERE;
}

function signingKey(place: SecretPlace, path: Path, { secret, report }: Reading): string {
  const key = secret(place, path);
  const [wrong] = key === "" ? [] : problemsIn(secretText, key);
  if (wrong !== undefined) report(path, wrong.problem);
  return key;
}
