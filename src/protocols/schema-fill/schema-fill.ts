export { type Ended, isEndFlag, isThoughtField } from "./field-meaning.ts";
export { decides } from "./decisions.ts";
export { fillSchema, satisfies } from "./fill.ts";
export { referenced } from "./merge.ts";
