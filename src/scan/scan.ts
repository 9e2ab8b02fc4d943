export { type ListedCells, listedCells } from "./cells.ts";
export {
  isName,
  isShare,
  numberOf,
  type NumberSlot,
  type NumberToken,
  SIZES,
  slotAt,
  slotsIn,
} from "./numbers.ts";
export { type Likeness, likenessOf, shapeOf } from "./shape.ts";
export { BLANK, isBrief, nearlyEqual, readSpeech, similarity, type Sketch } from "./sketch.ts";
export { countWords } from "./tokens.ts";
