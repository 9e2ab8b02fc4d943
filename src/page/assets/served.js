// What a browser gets of the page's files; it gets this one not.

/** Lines that are nothing but a comment, and what lines are indented by. */
const LAYOUT = /^[ \t]*(?:\/\/.*|\/\*\*[\s\S]*?\*\/)\n|^[ \t]+/gm;

/** Line breaks that say nothing: behind what opens, and between items. Statements keep theirs: a report is joined by their beginnings. */
const BREAKS = /([{([,])\n/g;

export function served(name, source) {
  if (!name.endsWith(".css")) return source.replaceAll(LAYOUT, "").replaceAll(BREAKS, "$1");
  return source
    .replaceAll(/\/\*[^*]*\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,>]) /g, "$1")
    .replaceAll(";}", "}")
    .replaceAll(": ", ":");
}
