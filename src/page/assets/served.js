// @ts-check
// What a browser gets of the page's files; it gets this one not.

/** Lines that are nothing but a comment, and what lines are indented by. */
const LAYOUT = /^[ \t]*(?:\/\/.*|\/\*\*[\s\S]*?\*\/)\n|^[ \t]+/gm;

/** @param {string} text */
export const served = (text) => text.replaceAll(LAYOUT, "");
