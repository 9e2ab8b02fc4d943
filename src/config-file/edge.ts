import {
  type EdgeSettingName,
  readSettings,
  type Setting,
  type Settings,
  settingNames,
  settingsTable,
  variableOf,
} from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { parseJson } from "../text/parse-json.ts";
import { type Configured, configure } from "./configured.ts";
import { type ConfigFile, type FileProblem, readConfigValue, settingsIn } from "./read.ts";

export type EdgeSettings = Pick<Settings, EdgeSettingName> & { readonly secret: string };

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
  if (config === undefined || config === "") return { settings: edgeSettings(others), configured: undefined };
  const read = readConfigValue(typeof config === "string" ? jsonIn(config) : config);
  if ("problems" in read) throw refused(read.problems);
  const { file } = read;
  const { alerts = [], admin } = file.text;
  if (alerts.length > 0 || admin?.proxies)
    throw bad(
      "alerts and admin.proxies have no effect on Cloudflare Workers; remove them, and let a Tail Worker alert (docs/deployment.md).",
    );
  const settings = edgeSettings(others, file);
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

/** A number in `vars` arrives as one, and a table (such as a policy) as an object; other bindings are the platform's or the operator's. */
function edgeSettings(bindings: object, file?: ConfigFile): EdgeSettings {
  const env = Object.fromEntries(
    Object.entries(bindings).flatMap(([name, value]) =>
      name.startsWith("UNLOOP_") || name === settingsTable.redisUrl.env
        ? [[name, typeof value === "string" ? value : JSON.stringify(value)] as const]
        : [],
    ),
  );
  const useless = settingNames.filter((name) => (settingsTable[name] as Setting).edge !== true);
  const given = useless.find((name) => env[variableOf(name)]);
  if (given !== undefined)
    throw new UnloopError(
      "bad_setting",
      `${variableOf(given)} has no effect on Cloudflare Workers (docs/deployment.md says why); remove it.`,
    );
  const limit = useless.find((name) => file?.settings[name] !== undefined);
  if (limit !== undefined) throw bad(`limits.${limit} has no effect on Cloudflare Workers; remove it.`);
  const { secret, ...settings } = readSettings(env, {}, settingsIn(file));
  if (secret !== undefined) return { ...settings, secret };
  throw new UnloopError(
    "bad_setting",
    "UNLOOP_SECRET must be set, since isolates share sessions: run `npx wrangler secret put UNLOOP_SECRET`.",
  );
}

/** Where a Worker's configuration stands if it changes without a deployment: a KV namespace. */
export interface KeptText {
  get(key: string, options: { readonly cacheTtl: number }): Promise<string | null>;
}

const KEY = "config";
/** The least for which the platform answers from its nearest copy. */
const CACHE_S = 30;
/** An isolate looks again behind an answer after the first time, and in front of one after the second: with the copy's age a minute. */
const LOOK_MS = 15_000;
const WAIT_MS = 30_000;
/** No request waits longer for a namespace that does not answer. */
const DEADLINE_MS = 1_000;

export interface KeptOptions<Made> {
  /** What a text amounts to, where `before` is in force. @throws UnloopError for one that is not to be taken */
  readonly make: (text: string, before: Made | undefined) => Made;
  /** Told once of a text that is not taken, or cannot be read: what is in force stays. */
  readonly onRefused: (error: UnloopError) => void;
  /** Lets work go on behind the request. */
  readonly outlive: (work: Promise<unknown>) => void;
  readonly now: () => number;
}

export const isKept = (value: unknown): value is KeptText =>
  typeof value === "object" && value !== null && "get" in value && typeof value.get === "function";

/** What a kept text amounts to, asked at each request: at most a minute behind. @throws UnloopError if there is none in force yet */
export function followed<Made>(kept: KeptText, { make, onRefused, outlive, now }: KeptOptions<Made>) {
  let inForce: { readonly text: string; readonly made: Made } | undefined;
  let lookedAt = 0;
  let knownAt = 0;
  let seen: string | undefined;
  let told: string | undefined;
  const look = async (): Promise<Made> => {
    lookedAt = now();
    seen = undefined;
    seen = await textIn(kept);
    knownAt = now();
    if (inForce?.text !== seen) inForce = { text: seen, made: make(seen, inForce?.made) };
    told = undefined;
    return inForce.made;
  };
  const tell = (error: UnloopError) => {
    const news = `${seen} ${error.message}`;
    if (news !== told) onRefused(error);
    told = news;
  };
  return (): Made | Promise<Made> => {
    if (inForce === undefined) return look();
    const { made } = inForce;
    if (now() - lookedAt < LOOK_MS) return made;
    const isLate = now() - knownAt >= WAIT_MS;
    const looked = look().catch((error: unknown) => {
      tell(error instanceof UnloopError ? error : unavailable(error));
      return made;
    });
    if (isLate) return looked;
    outlive(looked);
    return made;
  };
}

async function textIn(kept: KeptText): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    const text = await Promise.race([kept.get(KEY, { cacheTtl: CACHE_S }).catch(failed), late]);
    if (text !== null) return text;
  } finally {
    clearTimeout(timer);
  }
  throw new UnloopError(
    "bad_setting",
    `UNLOOP_CONFIG: the KV namespace has no key "${KEY}". \`npx wrangler kv key put --remote --binding UNLOOP_CONFIG ${KEY} "$(unloop check-config --worker unloop.yaml)"\` puts it there.`,
  );
}

function failed(error: unknown): never {
  throw unavailable(error);
}

function unavailable(why: unknown): UnloopError {
  return new UnloopError("config_unavailable", `The KV namespace UNLOOP_CONFIG cannot be read: ${String(why)}.`);
}
