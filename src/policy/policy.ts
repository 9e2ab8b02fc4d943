export { type BudgetKind, limitedKinds, limitsBudget } from "./budget.ts";
export { closingText, preambleFor } from "./closing.ts";
export { type Decision, chooseRung, type Memory, noMemory, rungAfter, withMade } from "./choose-rung.ts";
export { nextRung, watchesRetries } from "./ladder.ts";
export { heededDoubt, type Opinion, type OpinionTerms, secondOpinionOf } from "./second-opinion.ts";
export { isWarning, type LoopCounter, loopCounter } from "./loop-counter.ts";
export {
  type ActionRule,
  type ActionType,
  actionTypes,
  type JudgeTerms,
  type Planning,
  type Reversal,
} from "./planning.ts";
export { policiesFrom } from "./policies.ts";
export { policyFrom, policyNamed, policyShape } from "./policy-file.ts";
export { costOf, type Price, priceFor } from "./prices.ts";
export { doneNames } from "./presets/bare.ts";
export { presetNamed, presetNames } from "./presets.ts";
export { type Ladder, type LadderName, type Rung, stages } from "./rungs.ts";
export type { Policy, RunawayTerms } from "./policy-type.ts";
export {
  containedText,
  finalText,
  forceDoneNote,
  type Language,
  languageOf,
  languageTold,
  nudgeNote,
  refusalText,
  type NoteFacts,
  tellsEnding,
} from "./wording/wording.ts";
