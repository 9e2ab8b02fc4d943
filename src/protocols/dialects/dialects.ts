export { type ActionCarrier, carriedCall, carrierOf, narrowed, offersDone } from "./action-carrier.ts";
export { finalFormat } from "./asked-form.ts";
export type { Dialect } from "./dialect.ts";
export { answerFormatFor, type AgentStyle, habitsOf, type DialectUse } from "./agent-style.ts";
export { modelsAnswer } from "./own-answer.ts";
export { readMarked } from "./prompts.ts";
export { outputToolOf } from "./output-tool.ts";
export { promptConversation, historyOf, type Message, promptStep, type ToldHistory } from "./history.ts";
export { dialects } from "./text-turn.ts";
