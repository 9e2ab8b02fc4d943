export { type Ended, isEndFlag, isThought } from "./field-meaning.ts";
export { fillSchema } from "./fill.ts";
export { referenced } from "./merge.ts";
