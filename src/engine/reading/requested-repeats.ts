import {
  alternatives,
  alternativesBesides,
  type Category,
  LANGUAGES,
  UNSPACED_SCRIPTS,
  wordsFor,
} from "../../languages/languages.ts";
import { type ItemList, itemsListed, matchesOf } from "./user-list.ts";

/** Requested without a number; more than any number counts for. */
export const ENDLESS = 1_000;
/** Requested up to an event other than a failure: as long as nothing changes, it does not come nearer. */
export const UNTIL = 1_001;
const MOST = 500;

/** What of a text is read for a number. In characters. */
const SPAN = 4_000;
/** A longer text is a manual: what it says of going on is a rule, and no wish. In characters. */
export const SHORT = 1_000;
/** In front of the words that ask for repetition, and behind them. In characters. */
const REACH = 80;

const unspaced = (category: Category): string => alternatives(category, ...UNSPACED_SCRIPTS);
const spaced = (category: Category): string => alternativesBesides(category, ...UNSPACED_SCRIPTS);
const COUNTED = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(\d{1,4}|${spaced("numbers")})[\s-]{0,2}(?:${spaced("times")})|${alternatives("twice")})(?!\p{L})|(?<![第\d])(\d{1,4}|${unspaced("numbers")})\s?(?:${unspaced("times")})`,
  "giu",
);
const uncounted = (category: Category): RegExp =>
  new RegExp(String.raw`(?<!\p{L})(?:${spaced(category)})|${unspaced(category)}`, "giu");
const UNCOUNTED = uncounted("endless");
const UP_TO = uncounted("until");
const FAILING = new RegExp(wordsFor("failing"), "iu");

type Deed = "doing" | "saying";

/** What one language calls a deed, and what it asks for repetition with: a noun of one may be a verb of another. */
const TONGUES = LANGUAGES.filter(({ doing }) => doing !== undefined).map(({ code }) => {
  const of = (category: Category) => alternatives(category, code);
  const deeds = (words: string) =>
    new RegExp(UNSPACED_SCRIPTS.includes(code) ? words : String.raw`(?<!\p{L})(?:${words})(?!\p{L})`, "iu");
  const words = [of("times"), of("twice"), of("endless"), of("until")].join("|");
  return { doing: deeds(of("doing")), saying: deeds(of("saying")), words: new RegExp(words, "iu") };
});

const VALUES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100];
const NUMBERS = LANGUAGES.flatMap(({ numbers }) =>
  (numbers?.split("|") ?? []).map((word, i) => [new RegExp(`^(?:${word})$`, "iu"), VALUES[i] ?? 0] as const),
);

/** What is to be done may be quoted as code, in which points and brackets end no sentence; what stands in brackets is said beside. */
const CODE = /`[^`\n]{1,200}`/g;
const ASIDE = /\([^()\n]{0,40}\)/g;
const CLAUSE_END = /[.!?:;,](?=\s|$)|[。！？；，\n]/g;
const SENTENCE_END = /[.!?](?=\s|$)|[。！？\n]/g;
const CONJUNCTION = new RegExp(String.raw`\s(?:${spaced("and")})\s`, "giu");

/** A text that says the same so often repeats itself. */
const MANY = 6;
/** What is to be repeated may end in a full stop, or say anything at all. */
const QUOTED = /(?<=^|\s)(["“'‘])[^"”\n]{1,200}?(["”'’])(?=[\s.,!?]|$)/g;

/** Right before what is said, this forbids it. */
const DECLINED =
  /\b(?:\w{1,8}n['’]t|dont|never|avoid|stop|without|not(?: to)?|no need to)\s{1,4}(?:just |simply |ever )?$|(?:不要|别|別|勿|避免|不)\s?(?:一直|不停地?|反[复覆])?$/i;

/** A user asks for a text that repeats itself: the same word, line or phrase many times or without end. */
export function asksForRepetition(text: string): boolean {
  const repeats = requestedRepeats(text.slice(0, SPAN).replace(QUOTED, "$1$2"), "saying");
  return repeats >= MANY && repeats !== UNTIL;
}

/** Number of repetitions that a text asks for: 0 if there are none, `ENDLESS` or `UNTIL` if it says no number. */
export function requestedRepeats(text: string, deed: Deed = "doing"): number {
  const plain = text.slice(0, SPAN).replace(CODE, " it ").replace(ASIDE, " ");
  const counts = matchesOf(COUNTED, plain)
    .filter((match) => wishedIn(plain, match, deed, [SENTENCE_END]) !== undefined)
    .map(countIn);
  const most = Math.min(MOST, Math.max(0, ...counts.filter((count) => count > 1)));
  if (most > 0 || text.length > SHORT) return most;
  const wishes = (words: RegExp): readonly string[] =>
    matchesOf(words, plain).flatMap((match) => wishedIn(plain, match, deed, [CLAUSE_END, CONJUNCTION]) ?? []);
  const upTo = wishes(UP_TO);
  if (wishes(UNCOUNTED).length > 0 || upTo.some((clause) => FAILING.test(clause))) return ENDLESS;
  return upTo.length > 0 ? UNTIL : 0;
}

function countIn([, spacedCount, unspacedCount]: RegExpExecArray): number {
  const word = spacedCount ?? unspacedCount;
  if (word === undefined) return 2;
  return NUMBERS.find(([number]) => number.test(word))?.[1] ?? Number(word);
}

/**
 * The clause of a wish. Whoever wishes names a deed in it: "I told you a hundred times" and "the 7 runs" do not.
 * A clause that begins or ends with the words themselves goes on behind its comma ("run it, until", "まで、").
 */
function wishedIn(
  text: string,
  { 0: words, index }: RegExpExecArray,
  deed: Deed,
  ends: readonly RegExp[],
): string | undefined {
  const before = `${index > REACH ? "x" : ""}${text.slice(Math.max(0, index - REACH), index)}`.replace(
    /[,，、]\s*$/,
    "",
  );
  const after = text.slice(index + words.length, index + words.length + REACH).replace(/^[，、]/, "");
  const cut = (part: string, side: -1 | 0) => ends.reduce((rest, end) => rest.split(end).at(side) ?? "", part);
  const clause = `${cut(before, -1)}${words}${cut(after, 0)}`;
  const isWish = TONGUES.some((tongue) => {
    const named = tongue.words.test(clause) ? tongue[deed].exec(clause) : null;
    return named !== null && !(deed === "saying" && DECLINED.test(clause.slice(0, named.index)));
  });
  return isWish ? clause : undefined;
}

/** What somebody wants more than once: a user's text, or the system text. */
export interface Wish {
  /** How often the same is to be done; 0 if it does not say, `ENDLESS` or `UNTIL` if it says no number. */
  readonly requestedRepeats: number;
  /** The items of its list, encoded; empty without one. */
  readonly userItems: ItemList;
}

/** @param standing what the system text wants throughout */
export function wishIn(text: string, standing?: Wish): Wish {
  return {
    requestedRepeats: Math.max(requestedRepeats(text), standing?.requestedRepeats ?? 0),
    userItems: itemsListed(text),
  };
}

/** Undefined without one. A long system text is a manual: what it says of repeating is a rule. */
export function standingWish(system: string): Wish | undefined {
  const wish = {
    requestedRepeats: system.length > SHORT ? 0 : requestedRepeats(system),
    userItems: itemsListed(system),
  };
  return wish.requestedRepeats > 0 || wish.userItems !== "" ? wish : undefined;
}
