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
export { type Likeness, likenessOf, type ListedCells, listedCells, ONE_BY_ONE, shapeOf } from "./shape.ts";
export { BLANK, isBrief, nearlyEqual, readSpeech, similarity, type Sketch } from "./sketch.ts";
export { countWords } from "./tokens.ts";
