import { type EdgeSettings, edgeSettings } from "./edge-settings.ts";
import { UnloopError } from "../errors.ts";
import { presetNames } from "../policy/policy.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { parseJson } from "../text/parse-json.ts";
import { type Configured, configure } from "./configured.ts";
import { type FileProblem, readConfigValue } from "./read.ts";

/** What a Worker's bindings amount to. */
export interface EdgeConfiguration {
  readonly settings: EdgeSettings;
  /** Undefined without `UNLOOP_CONFIG`. */
  readonly configured: Configured | undefined;
}

/**
 * Settings among a Worker's bindings, and its configuration: `UNLOOP_CONFIG` is the file's content there, as a table of `vars` or as
 * JSON. Secrets that it names are bindings, too.
 * @param before what was in force: who is let in is opened only by a configuration that says so
 * @param secretOf text of a secret, by its name
 * @throws UnloopError `bad_setting`, with every mistake on a line of its own
 */
export function edgeConfiguration(
  bindings: object,
  before?: Configured,
  secretOf = (name: string): unknown => (bindings as Readonly<Record<string, unknown>>)[name],
): EdgeConfiguration {
  const { UNLOOP_CONFIG: config, ...others }: { readonly UNLOOP_CONFIG?: unknown } = bindings;
  if (config === undefined || config === "")
    return { settings: edgeSettings(others, presetNames), configured: undefined };
  const read = readConfigValue(typeof config === "string" ? jsonIn(config) : config);
  if ("problems" in read) throw refused(read.problems);
  const { file } = read;
  const { alerts = [], admin } = file.text;
  if (alerts.length > 0 || admin?.proxies)
    throw bad(
      "alerts and admin.proxies have no effect on Cloudflare Workers; remove them, and let a Tail Worker alert (docs/deployment.md).",
    );
  const settings = edgeSettings(others, [...presetNames, ...file.policies.keys()], file.settings);
  const env = new Proxy({}, { get: (_, name) => textOf(secretOf(String(name))) });
  const configured = configure(file, settings, { env, readFile: () => undefined, sha256: sha256Hex }, before);
  if ("problems" in configured) throw refused(configured.problems);
  return { settings, configured };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function jsonIn(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw bad(
    "it must be the configuration itself, as JSON or as a table: there are no files. `unloop check-config --worker <file>` prints it.",
  );
}

function refused(problems: readonly FileProblem[]): UnloopError {
  return new UnloopError("bad_setting", problems.map(({ message }) => `UNLOOP_CONFIG: ${message}`).join("\n"));
}

function bad(problem: string): UnloopError {
  return new UnloopError("bad_setting", `UNLOOP_CONFIG: ${problem}`);
}
