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
export {
  containerEnd,
  elementsOf,
  innerEnd,
  insertion,
  type LocatedBody,
  type LocatedValue,
  locatedBody,
  membersOf,
  memberSplice,
  placedElements,
  placedWithin,
  rootSpan,
  type Span,
  type Splice,
  spliced,
} from "./spans.ts";
