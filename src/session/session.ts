export { advance, isBlocked, replayConversation, replayWindow, withPendingCounted } from "./ledger/advance.ts";
export { mergeHistory, mergeInPieces, type MergeResult, statedTaskAt, taskAt } from "./ledger/merge.ts";
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
  type FoundRun,
  isOfOneRun,
  loadLedger,
  noStoredLedger,
  resolveRun,
  splitByTurns,
  type StoredLedger,
} from "./ledger/find-run.ts";
export { releaseThread, saveAdvice, saveLedger } from "./ledger/save-ledger.ts";
export { ledgerText, plainOf, readLedger } from "./ledger/ledger-text.ts";
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
export type { RequestMetadata } from "./identity/sources.ts";
export { tokensAsked, tokensSaid, tokenTally, usageIn } from "./usage.ts";
export {
  type Answered,
  callsHash,
  openStepOf,
  referredCalls,
  saveAliases,
  stepAliases,
  termsSignature,
  withAnswered,
} from "./ledger/answers.ts";
