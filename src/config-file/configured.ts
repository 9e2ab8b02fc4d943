import { type Rule, type RuleTerms, type Ruleset, ruleset, type Settings } from "../config/config.ts";
import { globMatcher } from "../text/glob.ts";
import { equalJson } from "../text/json-equal.ts";
import { type Policy, policyNamed, presetNamed } from "../policy/policy.ts";
import { type ConfiguredAlert, configuredAlerts, NOWHERE, type SecretPlace } from "./configured-alerts.ts";
import { type Closed, openings } from "./openings.ts";
import type { ConfigFile, FileProblem } from "./read.ts";

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
  before?: Pick<Configured, "policy" | "policies"> & Closed,
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
    expires: client.expires === undefined ? undefined : Date.parse(client.expires),
    models: client.models,
    mayAsk: client.models === undefined ? undefined : fits([client.models].flat()),
    requestsPerMinute: client.requestsPerMinute,
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
  const upstreams = Object.entries(text.upstreams ?? {}).map(([prefix, url]) => {
    const whole = URL.canParse(url) ? new URL(url) : NOWHERE;
    const isUrl = /^https?:$/.test(whole.protocol) && whole !== NOWHERE;
    if (!isUrl) problems.push(problemAt(["upstreams", prefix], "must be a whole http or https URL."));
    // Operators are shown it, those of one tenant too.
    if (`${whole.username}${whole.password}${whole.search}${whole.hash}` !== "")
      problems.push(problemAt(["upstreams", prefix], "must end with its path, without user name and password."));
    return [prefix, whole] as const;
  });
  if (before !== undefined)
    problems.push(...openings(text, tokens, before).map(({ path, problem }) => problemAt(path, problem)));
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
    upstreams: Object.fromEntries(upstreams),
    allowClientOverrides: text.allowClientOverrides ?? false,
  };
}

function fits(patterns: readonly string[]): (model: string) => boolean {
  const matchers = patterns.map(globMatcher);
  return (model) => model !== "" && matchers.some((matches) => matches(model));
}

interface Said {
  readonly mode?: Settings["mode"] | undefined;
  readonly policy?: string | undefined;
  readonly rollout?: number | undefined;
}
