import { enforcementSettings } from "./settings/enforcement.ts";
import { judgeSettings } from "./settings/judge.ts";
import { operatorSettings } from "./settings/operators.ts";
import { requestSettings } from "./settings/requests.ts";
import { serverSettings } from "./settings/server.ts";
import { sessionSettings } from "./settings/sessions.ts";
import { upstreamSettings } from "./settings/upstream.ts";

/**
 * Every setting there is, said once: its type, how it is read, its default, where it means something, and its row in
 * `docs/configuration.md` (checked) derive from its line in one of these groups.
 */
export const settingsTable = {
  ...upstreamSettings,
  ...serverSettings,
  ...enforcementSettings,
  ...requestSettings,
  ...sessionSettings,
  ...operatorSettings,
  ...judgeSettings,
};

export type SettingName = keyof typeof settingsTable;

/** All settings, by name. */
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settingsTable)[Name]["parse"]> };

/** Those that a configuration file may set under `limits`. */
export type LimitName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly limit: true } ? Name : never;
}[SettingName];

/** Whether Unloop intervenes (`enforce`), reports what it would do (`observe`) or passes everything through (`off`). */
export type Mode = Settings["mode"];
