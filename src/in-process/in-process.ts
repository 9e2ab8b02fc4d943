export {
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  chatBytes,
  chatCompletion,
  type CompletedTurn,
  eventBytes,
  wireUsage,
} from "./chat.ts";
export { isOffered, type MessageEdits, messageEdits } from "./edits.ts";
export {
  type InProcessGuard,
  type InProcessOptions,
  inProcessGuard,
  type ModelCall,
  type ModelVerdict,
  verdictIn,
} from "./guard.ts";
export { type OwnCompletion, readWhole } from "./whole.ts";
