export { type BudgetKind, costOf, limitedKinds, limitsBudget, priceFor } from "./budget.ts";
export {
  type ActionRule,
  type ActionType,
  type JudgeTerms,
  judgeTermsOf,
  type Ladder,
  type LadderName,
  type Policy,
  type Price,
  type Rung,
  type RunawayTerms,
  stages,
} from "./schema.ts";
export {
  type Decision,
  chooseRung,
  heededDoubt,
  type Memory,
  noMemory,
  type Opinion,
  rungAfter,
  withMade,
} from "./choose-rung.ts";
export { isWarning, type LoopCounter, loopCounter, placeOnLadder, watchesRetries } from "./ladder.ts";
export { policiesFrom, policyFrom, policyNamed, policyShape } from "./policy-file.ts";
export { doneNames, presetNamed, presetNames } from "./presets.ts";
export {
  containedText,
  finalText,
  forceDoneNote,
  type Language,
  languageOf,
  languageTold,
  nudgeNote,
  preambleFor,
  refusalText,
  type NoteFacts,
  tellsEnding,
} from "./wording/wording.ts";
