/** One setting of a detector: what it may be, and what it is where a policy does not say. */
export type DetectorSetting = WholeNumberSetting | ShareSetting | ChoiceSetting;

export interface WholeNumberSetting {
  readonly kind: "whole-number";
  readonly standard: number;
  readonly least: number;
}

export interface ShareSetting {
  readonly kind: "share";
  readonly standard: number;
}

export interface ChoiceSetting<Choice extends string = string> {
  readonly kind: "choice";
  readonly standard: Choice;
  readonly choices: readonly Choice[];
}

export type SettingTable = Readonly<Record<string, DetectorSetting>>;

type ValueOf<One extends DetectorSetting> = One extends ChoiceSetting<infer Choice> ? Choice : number;

/** Values of a detector's settings. */
export type SettingValues<Table extends SettingTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

export function wholeNumberSetting(standard: number, least = 1): WholeNumberSetting {
  return { kind: "whole-number", standard, least };
}

/** From 0 to 1. */
export function shareSetting(standard: number): ShareSetting {
  return { kind: "share", standard };
}

/** The first one is the standard. */
export function choiceSetting<const Choice extends string>(
  standard: Choice,
  ...others: readonly Choice[]
): ChoiceSetting<Choice> {
  return { kind: "choice", standard, choices: [standard, ...others] };
}
