export { closingOf } from "./close-json.ts";
export { addedElements, endOfElements, textsFromEnd } from "./from-end.ts";
export {
  arrayIn,
  isObject,
  type JsonObject,
  jsonText,
  memberAt,
  nonEmpty,
  objectIn,
  parseForReading,
  parseJson,
  stringIn,
} from "./json-values.ts";
export { containerEnd, elementsOf, innerEnd, membersOf, rootSpan, type Span } from "./spans.ts";
export {
  insertion,
  type LocatedValue,
  placedElements,
  placedWithin,
  type Splice,
  spliced,
} from "./splice.ts";
