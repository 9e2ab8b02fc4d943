import { removedAs } from "../removed.ts";
import { nearestName } from "../text/nearest-name.ts";
import { bad } from "./setting-text.ts";
import type { Setting } from "./settings/operators.ts";
import { type LimitName, type SettingName, type Settings, settingsTable } from "./rules.ts";

export { type RolloutArm, rolloutArm } from "./rollout.ts";
export {
  type Choice,
  type Mode,
  type RequestFacts,
  type Rule,
  type Ruleset,
  ruleset,
  type RuleTerms,
  type Settings,
  settingsTable,
} from "./rules.ts";
export { httpUrl, SHORTEST_SECRET } from "./setting-text.ts";
export { type AlertOccasion, alertOccasions, type Setting } from "./settings/operators.ts";

/** Flags of the command line, by the setting's name; only settings with a flag count. */
export type Flags = Readonly<Partial<Record<SettingName, string | undefined>>>;

/** Settings of a configuration file, written as in the environment, which takes precedence. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/** Limits that a configuration file may set. */
export const limitNames = (Object.keys(settingsTable) as SettingName[]).filter(
  (name): name is LimitName => "limit" in settingsTable[name],
);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings that a command line, an environment and a configuration file amount to, in this order. `policies` are the names of the presets there are.
 * @throws UnloopError `bad_setting`
 */
export function readSettings(
  env: Environment,
  flags: Flags,
  policies: readonly string[],
  file: SettingTexts = {},
): Settings {
  refuseUnknown(env);
  const sources = { env, flags, file };
  const values = settingNames.map((name) => [name, readSetting(name, sources, policies)]);
  // The table gives each name its parser, and the type of each value is what that gives.
  const settings = Object.fromEntries(values) as Settings;
  refuseIncomplete(settings);
  return settings;
}

const settingNames = Object.keys(settingsTable) as readonly SettingName[];

interface Given {
  readonly env: Environment;
  readonly flags: Flags;
  readonly file: SettingTexts;
}

function readSetting(name: SettingName, { env, flags, file }: Given, policies: readonly string[]): unknown {
  const { env: variable, flag, standard, parse }: Setting = settingsTable[name];
  const flagged = flags[name];
  if (flag !== undefined && flagged !== undefined) return parse(flagged, flag, policies);
  // An empty variable is an unset one: that is how compose files and CI systems leave something out.
  return parse(env[variable] || file[name] || standard || "", variable, policies);
}

/** Defaults of all settings. */
export const standardSettings = readSettings({}, {}, [settingsTable.policy.standard]);

function refuseIncomplete({ redisUrl, secret, judgeKey, judgeModel }: Settings): void {
  if (redisUrl !== undefined && secret === undefined) {
    throw bad(
      "UNLOOP_SECRET must be set when REDIS_URL is: processes that share sessions must agree on their signatures.",
    );
  }
  if (judgeKey !== undefined && judgeModel === undefined)
    throw bad("UNLOOP_JUDGE_MODEL must be set when UNLOOP_JUDGE_KEY is: without a model nobody is asked.");
}

function refuseUnknown(env: Environment): void {
  const variables: readonly string[] = Object.values(settingsTable).map((setting) => setting.env);
  // Where the benchmarks find recorded sessions; nothing that the server reads.
  const ignored = "UNLOOP_DATA";
  for (const name of Object.keys(env)) {
    if (!name.startsWith("UNLOOP_") || name === ignored || variables.includes(name)) continue;
    const gone = removedAs("setting", name);
    if (gone !== undefined) throw bad(`${name} was removed. ${gone.instead}`);
    const bare = (one: string) => one.replace(/^UNLOOP_/, "");
    const nearest = variables.find((one) => bare(one) === nearestName(bare(name), variables.map(bare)));
    const meant = nearest === undefined ? "docs/configuration.md lists them all." : `did you mean ${nearest}?`;
    throw bad(`${name} is not a setting of Unloop; ${meant}`);
  }
}

type JudgeSettings = Pick<Settings, "judgeUpstream" | "judgeKey" | "judgeModel" | "judgeTimeoutMs">;

/** The judge that settings name, as the library takes it; undefined where they name none. */
export function judgeIn(settings: JudgeSettings) {
  const { judgeUpstream: upstream, judgeKey: key, judgeModel: model, judgeTimeoutMs: timeoutMs } = settings;
  if (model === undefined) return undefined;
  return { upstream, key, model, timeoutMs };
}
