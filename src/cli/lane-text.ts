import { styleText } from "node:util";
import { actMarks, type Cell, cellMark, type Drawing, type Group, lanePieces } from "../page/page.ts";

const COLOURS = ["red", "cyan", "yellow", "green", "magenta", "blue", "redBright", "cyanBright"] as const;
/** A letter takes little room, but a run of thousands must not fill the screen. In characters. */
const LONGEST = 2_000;

/** A lane for the terminal: a letter for each step that is repeated, laps in brackets, our acts where they were. */
export function laneText(drawing: Drawing, coloured: boolean): string {
  const bracket = (text: string, { inLoop }: Group) => (coloured && inLoop ? styleText(["bold", "red"], text) : text);
  const pieces = lanePieces(drawing, (cell) => cellText(cell, coloured), bracket);
  return cut(pieces, LONGEST).trim();
}

/** From the end, since that is where a run stuck. */
function cut(pieces: readonly string[], longest: number): string {
  const lines: string[] = [];
  let length = 0;
  for (const piece of pieces.toReversed()) {
    length += piece.length;
    if (length > longest && lines.length > 0) return `… ${lines.toReversed().join("")}`;
    lines.push(piece);
  }
  return lines.toReversed().join("");
}

function cellText(cell: Cell, coloured: boolean): string {
  const [mark, act] = [cellMark(cell), actMarks(cell)];
  if (!coloured || cell.hue < 0) return `${mark}${act}`;
  const colour = COLOURS[cell.hue % COLOURS.length] ?? "red";
  const marked = styleText(cell.inLoop ? [colour, "bold"] : colour, mark);
  return `${marked}${act === "" ? "" : styleText(["black", "bgYellow"], act)}`;
}
