import { alternatives, LANGUAGES } from "../languages/languages.ts";

/** In each language by itself: what one asks for is declined right before it. */
const WISHES = LANGUAGES.filter(({ repetition }) => repetition !== undefined).map(
  ({ code }) => new RegExp(alternatives("repetition", code), "i"),
);
const DECLINED =
  /(?:\b(?:do not|don['’]?t|never|avoid|stop|without|not to|no need to|not)\s+(?:just |simply |ever )?$)|(?:不要|别|別|请勿|勿|避免|不)\s*(?:一直|不停地?|反复|反覆)?$/i;
/** Longer texts are instructions or material: what the user wants stands first. */
const SPAN = 4_000;
/** What is to be repeated may end in a full stop, or say anything at all. */
const QUOTED = /(?<=^|\s)(["“'‘])[^"”\n]{1,200}?(["”'’])(?=[\s.,!?]|$)/g;

/** A user asks for a text that repeats itself: the same word, line or phrase many times or without end. */
export function asksForRepetition(text: string): boolean {
  const beginning = text.slice(0, SPAN).replace(QUOTED, "$1$2");
  return WISHES.some((wish) => {
    const match = wish.exec(beginning);
    return match !== null && !DECLINED.test(beginning.slice(Math.max(0, match.index - 24), match.index));
  });
}
