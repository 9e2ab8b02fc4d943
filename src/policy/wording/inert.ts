import type { Call, Step } from "../../step.ts";

/** Enough for all that is ever quoted. In characters. */
const SPAN = 2_000;
/** Marks that turn the direction of a text, or that are invisible. */
const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const LINK = /\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|mailto:|javascript:|data:)[^\s"']*/gi;
const HARMLESS: Readonly<Record<string, string>> = { "[": "(", "]": ")", "<": "‹", ">": "›", "`": "'" };

/**
 * A text of a tool or a model as it may stand in an answer that has not been checked: a reader's program finds no link, picture, markup
 * or hidden mark in it.
 */
export function inert(text: string): string {
  return text
    .slice(0, SPAN)
    .replace(UNSEEN, "")
    .replace(LINK, "(link)")
    .replace(/[[\]<>`]/g, (mark) => HARMLESS[mark] ?? "");
}

/** The same for all that is quoted of a step. */
export function inertStep(step: Step): Step {
  return { ...step, text: inert(step.text), calls: step.calls.map(inertCall) };
}

function inertCall(call: Call): Call {
  const { outcome, ...asked } = { ...call, tool: inert(call.tool), args: inert(call.args) };
  return outcome === undefined ? asked : { ...asked, outcome: { ...outcome, text: inert(outcome.text) } };
}
