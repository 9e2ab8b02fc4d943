export { afterForceDone, failureOf } from "./act/action.ts";
export {
  answerOnOrder,
  type Change,
  changedRequest,
  type OwnAnswer,
  ownAnswer,
  watchContainment,
} from "./act/interventions.ts";
export { inBackground, orUndefined } from "./background.ts";
export * from "./context.ts";
export * from "./evaluate.ts";
export { loadNothing, sessionKeyOf } from "./load/load-state.ts";
export {
  type AnswerTap,
  factsOf,
  type Log,
  type Meter,
  type MeteredUsage,
  noMeter,
  type TokenUsage,
  type UsageLabels,
} from "./meter.ts";
export * from "./outcome.ts";
export { fieldOf, type HeaderMetadata, type ReceivedRequest } from "./read/read-request.ts";
export * from "./record/record.ts";
