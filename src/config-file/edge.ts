import {
  type EdgeSettingName,
  readSettings,
  type Settings,
  settingNames,
  settingsTable,
  variableOf,
} from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { parseJson } from "../text/parse-json.ts";
import { type Configured, configure } from "./configured.ts";
import { type ConfigFile, readConfigValue, settingsIn } from "./read.ts";

export type EdgeSettings = Pick<Settings, EdgeSettingName> & { readonly secret: string };

export interface EdgeConfiguration {
  readonly settings: EdgeSettings;
  readonly configured: Configured | undefined;
}

/** A Worker's settings, and `UNLOOP_CONFIG`, which is the file's content there. @param before what was in force @throws UnloopError `bad_setting` */
export function edgeConfiguration(
  bindings: object,
  before?: Configured,
  secretOf = (name: string): unknown => new Map(Object.entries(bindings)).get(name),
): EdgeConfiguration {
  const { UNLOOP_CONFIG: config, ...others }: { readonly UNLOOP_CONFIG?: unknown } = bindings;
  const file = config === undefined || config === "" ? undefined : configFileIn(config);
  const settings = edgeSettings(others, file);
  if (file === undefined) return { settings, configured: undefined };
  const env = new Proxy({}, { get: (_, name) => textOf(secretOf(String(name))) });
  return { settings, configured: configure(file, settings, { env, readFile: () => undefined }, before) };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function configFileIn(config: unknown): ConfigFile {
  const value = typeof config === "string" ? parseJson(config) : config;
  if (value === undefined)
    throw bad(
      "it must be the configuration itself, as JSON or as a table: there are no files. `unloop check-config --worker <file>` prints it.",
    );
  const file = readConfigValue(value);
  const { alerts = [], admin } = file.text;
  if (alerts.length > 0 || admin?.proxies)
    throw bad(
      "alerts and admin.proxies have no effect on Cloudflare Workers; remove them, and let a Tail Worker alert (docs/deployment.md).",
    );
  return file;
}

const bad = (problem: string) => new UnloopError("bad_setting", `UNLOOP_CONFIG: ${problem}`);

/** A number in `vars` arrives as one, and a table (such as a policy) as an object; other bindings are the platform's or the operator's. */
function edgeSettings(bindings: object, file: ConfigFile | undefined): EdgeSettings {
  const own = Object.entries(bindings).filter(([name]) => name.startsWith("UNLOOP_") || name === "REDIS_URL");
  const env = Object.fromEntries(own.map(([name, value]) => [name, textOf(value) ?? JSON.stringify(value)]));
  for (const name of settingNames.filter((one) => !("edge" in settingsTable[one]))) {
    if (env[variableOf(name)])
      throw new UnloopError(
        "bad_setting",
        `${variableOf(name)} has no effect on Cloudflare Workers (docs/deployment.md says why); remove it.`,
      );
    if (file?.settings[name] !== undefined) throw bad(`limits.${name} has no effect on Cloudflare Workers; remove it.`);
  }
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
  let told: string | undefined;
  const look = async (): Promise<Made> => {
    lookedAt = now();
    let text: string | undefined;
    try {
      text = await textIn(kept);
      knownAt = now();
      if (inForce?.text !== text) inForce = { text, made: make(text, inForce?.made) };
      told = undefined;
    } catch (error) {
      const why = error instanceof UnloopError ? error : unavailable(error);
      if (inForce === undefined) throw why;
      const news = `${text} ${why.message}`;
      if (news !== told) onRefused(why);
      told = news;
    }
    return inForce.made;
  };
  return (): Made | Promise<Made> => {
    if (inForce === undefined) return look();
    const { made } = inForce;
    if (now() - lookedAt < LOOK_MS) return made;
    const isLate = now() - knownAt >= WAIT_MS;
    const looked = look();
    if (isLate) return looked;
    outlive(looked);
    return made;
  };
}

async function textIn(kept: KeptText): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(`no answer within ${DEADLINE_MS} ms`), DEADLINE_MS);
  });
  const text = await Promise.race([kept.get(KEY, { cacheTtl: CACHE_S }), late])
    .catch((error: unknown) => {
      throw unavailable(error);
    })
    .finally(() => clearTimeout(timer));
  if (text !== null) return text;
  throw bad(
    `the KV namespace has no key "${KEY}". \`npx wrangler kv key put --remote --binding UNLOOP_CONFIG ${KEY} "$(unloop check-config --worker unloop.yaml)"\` puts it there.`,
  );
}

function unavailable(why: unknown): UnloopError {
  return new UnloopError("config_unavailable", `The KV namespace UNLOOP_CONFIG cannot be read: ${String(why)}.`);
}
