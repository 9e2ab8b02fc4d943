// @ts-check
// What a browser gets of the page's files; it gets this one not.

/** Lines that are nothing but a comment, and what lines are indented by. */
const LAYOUT = /^[ \t]*(?:\/\/.*|\/\*\*[\s\S]*?\*\/)\n|^[ \t]+/gm;

/** Line breaks that say nothing: behind what opens, and between items. Statements keep theirs: a report is joined by their beginnings. */
const BREAKS = /([{([,])\n/g;

/** A browser gets all styles as one file, in this order. */
export const STYLE = "page.css";
const STYLES = ["base.css", "frame.css", "runs.css", "lane.css"];

/**
 * A file as it is served.
 * @param {string} name
 * @param {(name: string) => string} read gives a file of this folder
 */
export function served(name, read) {
  if (name !== STYLE) return read(name).replaceAll(LAYOUT, "").replaceAll(BREAKS, "$1");
  return STYLES.map(read)
    .join("")
    .replaceAll(/\/\*[^*]*\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,>]) /g, "$1")
    .replaceAll(";}", "}")
    .replaceAll(": ", ":");
}
