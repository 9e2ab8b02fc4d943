export { type ActionCarrier, carriedCall, carrierOf, narrowed } from "./action-carrier.ts";
export { finalFormat } from "./asked-form.ts";
export type { Dialect } from "./dialect.ts";
export { answerFormatFor, type AgentStyle, habitsOf, type DialectUse } from "./agent-style.ts";
export { modelsAnswer } from "./own-answer.ts";
export { readMarked } from "./prompts.ts";
export { endToolOf } from "./end-tool.ts";
export { promptConversation, historyOf, type Message, promptStep, type ToldHistory } from "./history.ts";
export { dialects } from "./text-turn.ts";
