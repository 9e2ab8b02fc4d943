export { type ActionCarrier, carrierOf, narrowed, offersDone } from "./action-carrier.ts";
export type { Dialect } from "./dialect.ts";
export { type Habits, habitsOf } from "./habits.ts";
export { conversationOf, type Message, stepOf } from "./history.ts";
export { dialects } from "./text-turn.ts";
