import { readSettings, type Setting, type Settings, settingsTable, type SettingTexts } from "../config/config.ts";
import { UnloopError } from "../errors.ts";

/** Those that mean something on Cloudflare Workers. */
type EdgeSettingName = {
  [Name in keyof Settings]: (typeof settingsTable)[Name] extends { readonly edge: true } ? Name : never;
}[keyof Settings];

export type EdgeSettings = Pick<Settings, EdgeSettingName> & { readonly secret: string };

/**
 * The settings among a Worker's bindings: its `vars`, of any type that TOML has, and its secrets.
 * @param file what its configuration sets
 * @throws UnloopError `bad_setting`, also for a setting that would be without effect.
 */
export function edgeSettings(bindings: object, policies: readonly string[], file: SettingTexts = {}): EdgeSettings {
  const env = Object.fromEntries(
    Object.entries(bindings).flatMap(([name, value]) => (isSetting(name) ? [[name, textOf(value)] as const] : [])),
  );
  const useless = Object.values<Setting>(settingsTable).find(({ env: name, edge }) => env[name] && edge !== true);
  if (useless !== undefined) {
    throw bad(`${useless.env} has no effect on Cloudflare Workers (docs/deployment.md says why); remove it.`);
  }
  const limit = Object.keys(file).find(
    (name) => (settingsTable as Readonly<Record<string, Setting>>)[name]?.edge !== true,
  );
  if (limit !== undefined) throw bad(`limits.${limit} has no effect on Cloudflare Workers; remove it.`);
  const { secret, ...settings } = readSettings(env, {}, policies, file);
  if (secret === undefined) {
    throw bad("UNLOOP_SECRET must be set, since isolates share sessions: run `npx wrangler secret put UNLOOP_SECRET`.");
  }
  return { ...settings, secret };
}

/** Other bindings are the platform's or the operator's own. */
function isSetting(name: string): boolean {
  return name.startsWith("UNLOOP_") || name === settingsTable.redisUrl.env;
}

/** A number in `vars` arrives as one, and a table (such as a policy) as an object. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function bad(message: string): UnloopError {
  return new UnloopError("bad_setting", message);
}
