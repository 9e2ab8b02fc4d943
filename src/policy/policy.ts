export { type Decision, decide, type Memory, type Moment, noMemory } from "./decide.ts";
export { presetNamed, presetNames } from "./presets.ts";
export { type Ladder, type LadderName, limitsBudget, type Policy, type Rung, rungs } from "./terms.ts";
export { finalText, forceDoneNote, type Language, languageOf, nudgeNote } from "./wording.ts";
