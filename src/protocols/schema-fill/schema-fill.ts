export { type Ended, isEndFlag, isThoughtField } from "./field-meaning.ts";
export { fillSchema, honestJson, satisfies } from "./fill.ts";
export { referenced } from "./schema.ts";
