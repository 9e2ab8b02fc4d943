export { bytes, readAscii } from "./ascii.ts";
export { SMALL } from "./char-class.ts";
export { ListedCells } from "./listed-cells.ts";
export {
  isName,
  isOnItsWay,
  isShare,
  numberOf,
  type NumberSlot,
  type NumberToken,
  SIZES,
  slotsIn,
} from "./number-token.ts";
export { readSpeech } from "./scanned-text.ts";
export { type Likeness, likenessOf, shapeOf } from "./shape.ts";
export { BLANK, isBrief, nearlyEqual, similarity, type Sketch } from "./sketch.ts";
export { countWords } from "./words.ts";
