import { UnloopError } from "../errors.ts";
import { presetNames } from "../policy/policy.ts";
import { removed } from "../removed.ts";
import { type InputShape, oneOfChoices, pathText, problemsIn } from "../shapes/shapes.ts";
import { nearestName } from "../text/nearest-name.ts";
import { type Setting, type SettingName, type Settings, settingNames, settingsTable, variableOf } from "./settings.ts";

export {
  type Choice,
  isUnder,
  type RequestFacts,
  type RolloutArm,
  rolloutArm,
  type Rule,
  type Ruleset,
  ruleset,
  type RuleTerms,
} from "./rules.ts";
export {
  type EdgeSettingName,
  limitNames,
  type Mode,
  type Setting,
  type SettingName,
  type Settings,
  settingNames,
  settingsTable,
  variableOf,
} from "./settings.ts";

/** Flags of the command line, by the setting's name. */
export type Flags = Readonly<Partial<Record<SettingName, string | undefined>>>;

export type FileSettings = Partial<Settings>;

type Environment = Readonly<Record<string, string | undefined>>;

/** What an alert is about: the rung that was carried out, `cut` for an answer that had run away, `observe` for what would have been done. */
export const alertOccasions = ["observe", "nudge", "force-done", "short-circuit", "cut"] as const;
export type AlertOccasion = (typeof alertOccasions)[number];

/** Of a command line, an environment and a configuration file, in this order. @throws UnloopError `bad_setting`, with a line for each mistake */
export function readSettings(
  env: Environment,
  flags: Flags = {},
  { policies = [], file = {} }: { readonly policies?: readonly string[]; readonly file?: FileSettings } = {},
): Settings {
  const mistakes = [...unknownVariables(env)];
  const values = settingNames.map((name) => {
    const { standard, shape: own }: Setting = settingsTable[name];
    const flagged = flags[name];
    // An empty variable is an unset one: that is how compose files and CI systems leave something out.
    const text = flagged ?? (env[variableOf(name)] || undefined);
    const value = text === undefined ? (file[name] ?? standard) : own.fromText ? own.fromText(text) : text;
    const shape = name === "policy" ? policyNames(value, policies) : own;
    for (const { path, problem } of value === standard ? [] : problemsIn(shape, value)) {
      const label = flagged === undefined ? variableOf(name) : `--${name}`;
      mistakes.push(`${label}${path.length === 0 ? "" : ` for ${pathText(path)}`} ${problem}`);
    }
    return [name, value] as const;
  });
  // The table has a shape for each name, and each value passes it.
  const settings = Object.fromEntries(values) as Settings;
  if (mistakes.length === 0) mistakes.push(...incomplete.flatMap((sentences) => sentences(settings)));
  if (mistakes.length > 0) throw new UnloopError("bad_setting", mistakes.join("\n"));
  return settings;
}

/** What JSON may say is the policy's business, which reads it before the server starts. */
function policyNames(value: unknown, policies: readonly string[]): InputShape {
  const isJson = typeof value === "string" && value.trimStart().startsWith("{");
  return isJson ? settingsTable.policy.shape : oneOfChoices(...presetNames, ...policies);
}

const incomplete: readonly ((settings: Settings) => readonly string[])[] = [
  ({ redisUrl, secret }) =>
    redisUrl === undefined || secret !== undefined
      ? []
      : ["UNLOOP_SECRET must be set when REDIS_URL is: processes that share sessions must agree on their signatures."],
  ({ judgeKey, judgeModel }) =>
    judgeKey === undefined || judgeModel !== undefined
      ? []
      : ["UNLOOP_JUDGE_MODEL must be set when UNLOOP_JUDGE_KEY is: without a model nobody is asked."],
];

/** Where the benchmarks find recorded sessions; nothing that the server reads. */
const IGNORED = "UNLOOP_DATA";

function unknownVariables(env: Environment): readonly string[] {
  const variables = settingNames.map(variableOf);
  const bare = (one: string) => one.replace(/^UNLOOP_/, "");
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith("UNLOOP_") || name === IGNORED || variables.includes(name)) return [];
    const instead = removed.get(name);
    if (instead !== undefined) return [`${name} was removed. ${instead}`];
    const nearest = variables.find((one) => bare(one) === nearestName(bare(name), variables.map(bare)));
    const meant = nearest === undefined ? "docs/configuration.md lists them all." : `did you mean ${nearest}?`;
    return [`${name} is not a setting of Unloop; ${meant}`];
  });
}

export const standardSettings = readSettings({});

type JudgeSettings = Pick<Settings, "judgeUpstream" | "judgeKey" | "judgeModel">;

export function judgeIn(settings: JudgeSettings) {
  const { judgeUpstream: upstream, judgeKey: key, judgeModel: model } = settings;
  if (model === undefined) return undefined;
  return { upstream, key, model };
}
