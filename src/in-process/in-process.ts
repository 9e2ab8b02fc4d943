export {
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  type ChatToolCall,
  chatBytes,
  chatCall,
  chatCompletion,
  chatTools,
  type CompletedTurn,
} from "./chat.ts";
export { isOffered, type MessageEdits, messageEdits, notedText } from "./edits.ts";
export {
  type InProcessGuard,
  type InProcessOptions,
  inProcessGuard,
  type ModelCall,
  type ModelVerdict,
  verdictFacts,
} from "./guard.ts";
export { type OwnCompletion, readWhole } from "./whole.ts";
export { type ChatDelta, type PartMeaning, type PartWriter, readStream } from "./stream.ts";
