import { consecutiveFailuresPreset } from "./presets/consecutive-failures.ts";
import { standard } from "./presets/default.ts";
import { duplicateCalls } from "./presets/duplicate-calls.ts";
import { localPlanning } from "./presets/local-planning.ts";
import { userSimulator } from "./presets/user-simulator.ts";
import { webActions } from "./presets/web-actions.ts";
import type { Policy } from "./policy-type.ts";

const presets: readonly Policy[] = [
  standard,
  webActions,
  userSimulator,
  localPlanning,
  consecutiveFailuresPreset,
  duplicateCalls,
];

/** Names of the policies that are shipped, `default` first. */
export const presetNames: readonly string[] = presets.map((preset) => preset.name);

/** The preset of this name. */
export function presetNamed(name: string): Policy | undefined {
  return presets.find((preset) => preset.name === name);
}
