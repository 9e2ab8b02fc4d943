export {
  chatBytes,
  chatCall,
  chatCompletion,
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  type ChatToolCall,
  chatTools,
  type CompletedTurn,
  isOffered,
  type MessageEdits,
  messageEdits,
  notedText,
} from "./chat.ts";
export {
  type InProcessGuard,
  type InProcessOptions,
  inProcessGuard,
  type ModelCall,
  type ModelVerdict,
  verdictFacts,
} from "./guard.ts";
export {
  type ChatDelta,
  type OwnCompletion,
  type PartMeaning,
  type PartWriter,
  readStream,
  readWhole,
} from "./stream.ts";
