export {
  hasSlot,
  isName,
  isShare,
  numberOf,
  type NumberSlot,
  type NumberToken,
  SIZES,
  slotAt,
  slotsIn,
  withoutSlot,
} from "./numbers.ts";
export { type Likeness, likenessOf, type ListedCells, listedCells, ONE_BY_ONE } from "./shape.ts";
export { BLANK, countWords, isBrief, nearlyEqual, readSpeech, similarity, type Sketch } from "./sketch.ts";
