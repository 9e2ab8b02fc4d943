import { styleText } from "node:util";
import type { Cell, Drawing } from "../page/page.ts";

const COLOURS = ["red", "cyan", "yellow", "green", "magenta", "blue", "redBright", "cyanBright"] as const;
const RUNG_MARKS: Readonly<Record<string, string>> = {
  nudge: "nudge",
  "force-done": "force",
  "short-circuit": "end",
  cut: "cut",
};

/** A letter takes little room, but a run of thousands must not fill the screen. In characters. */
const LONGEST = 2_000;

/** A lane for the terminal: a letter for each step that is repeated, laps in brackets, our acts where they were. */
export function laneText({ cells, groups }: Drawing, coloured: boolean): string {
  const pieces = groups.map(({ from, to, laps, inLoop }) => {
    const text = cells
      .slice(from, to + 1)
      .map((cell) => cellText(cell, coloured))
      .join("");
    if (laps === 1) return text;
    const bracket = (text: string) => (coloured && inLoop ? styleText(["bold", "red"], text) : text);
    return ` ${bracket("[")}${text}${bracket(`]×${laps}`)} `;
  });
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

function cellText({ letter, hue, outcome, inLoop, acts }: Cell, coloured: boolean): string {
  const mark = `${letter || "·"}${outcome === "failed" ? "!" : ""}`;
  const act = acts.length === 0 ? "" : `(${acts.map(({ rung }) => RUNG_MARKS[rung] ?? rung).join(",")})`;
  if (!coloured || hue < 0) return `${mark}${act}`;
  const colour = COLOURS[hue % COLOURS.length] ?? "red";
  return `${styleText(inLoop ? [colour, "bold"] : colour, mark)}${act === "" ? "" : styleText(["black", "bgYellow"], act)}`;
}
