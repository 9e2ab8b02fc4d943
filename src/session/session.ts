export { advance, isBlocked } from "./ledger/advance.ts";
export { mergeHistory, type MergeResult, statedTaskAt, taskAt } from "./ledger/merge.ts";
export { isNearRung, type Lookahead, lookaheadFor } from "./ledger/lookahead.ts";
export {
  credentialsOf,
  identify,
  type Identity,
  isRandomId,
  metadataHash,
  runOfAnswer,
} from "./identity/identify.ts";
export {
  isOfOneRun,
  loadLedger,
  noStoredLedger,
  saveAdvice,
  saveLedger,
  type StoredLedger,
} from "./ledger/load-and-save.ts";
export { splitByTurns } from "./ledger/appended-messages.ts";
export { replayConversation, replayWindow } from "./ledger/replay-steps.ts";
export { ledgerText, plainOf, readLedger, releaseThread, withPendingCounted } from "./ledger/ledger-text.ts";
export {
  emptyLedger,
  type Intervention,
  type EvaluationContext,
  type Ledger,
  type PositionedIntervention,
  type JudgeAdvice,
  reach as ledgerReach,
  type OpenStep,
} from "./ledger/ledger.ts";
export * from "./known-prefixes.ts";
export { type RequestMetadata, sessionLabel } from "./identity/sources.ts";
export { budgetKeyOf, startOf, tokensAsked, tokensSaid, tokenTally, usageElsewhere, usageIn } from "./usage.ts";
export {
  type Answered,
  type FoundRun,
  referredCalls,
  saveAliases,
  resolveRun,
  stepAliases,
} from "./identity/aliases.ts";
export { callsHash, openStepOf, termsSignature, withAnswered } from "./ledger/answers.ts";
