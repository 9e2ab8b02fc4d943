import { defineDetector, findingIn, type RawFinding, wholeNumberSetting } from "../detector.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { isKnownBy } from "../evidence.ts";
import { BLANK, type Sketch } from "../../scan/scan.ts";
import { trailing, type View } from "../view.ts";

const settings = {
  /** Only messages shorter than this close, in characters. */
  chars: wholeNumberSetting(50),
};

/** Polite closure: rounds in a row in which both sides only close the conversation. Any other round starts afresh. */
export const politeClosure = defineDetector({
  name: "polite-closure",
  grades: { echo: "refining", thanks: "extra" },
  tells: "farewell",
  settings,
  detect(view, { chars }) {
    const rounds = trailing(view, (fingerprint) => isClosing(fingerprint, chars));
    const suspected = thanks(view, rounds.length);
    if (rounds.length === 0) return [...suspected, ...echo(view)];
    const note = `both sides have only said goodbye, ${rounds.length} rounds in a row`;
    const loop = "polite-closure";
    const closed = findingIn(rounds, { loop, tools: [], outcome: "closed", evenIfUserSpoke: true, note });
    return [closed, ...suspected];
  },
});

/** Both sides thank each other or take leave, and say whatever else: one of them may want something. */
function thanks(view: View, known: number): readonly RawFinding[] {
  const rounds = trailing(view, ({ gracious }) => gracious === true);
  if (rounds.length < 2 || rounds.length <= known) return [];
  const note = `both sides have thanked or said goodbye, ${rounds.length} rounds in a row`;
  const loop = "polite-closure:thanks";
  return [findingIn(rounds, { grade: "thanks", loop, tools: [], evenIfUserSpoke: true, note })];
}

/** From this share of words that the other side has said before, a side has nothing of its own to say. */
const GIVEN_BACK = 0.6;
/** The share of its texts from which a side only gives back. */
const MOST = 0.5;
/** The first rounds say for the first time what is then said again. */
const FIRST = 2;

/** A farewell in a language without a list: short texts go to and fro, and each side says again what the other has said. */
function echo(view: View): readonly RawFinding[] {
  const rounds = trailing(view, ({ chats }) => chats === true);
  // What the lists know of is told by them.
  if (rounds.length <= FIRST || rounds.some(({ fingerprint }) => fingerprint.closes !== undefined)) return [];
  // One word each time is a command, or a game.
  if (rounds.filter(({ fingerprint }) => (fingerprint.heardWords ?? 0) > 1).length * 2 < rounds.length) return [];
  const said = rounds.map(({ fingerprint: { saidSimilarity = BLANK } }) => saidSimilarity);
  const heard = rounds.map(({ fingerprint: { heardSimilarity = BLANK } }) => heardSimilarity);
  if (shareGivenBack(said, heard) < MOST || shareGivenBack(heard, said) < MOST) return [];
  const note = `each side says again what the other has said, ${rounds.length} rounds in a row`;
  const loop = "polite-closure:echo";
  return [findingIn(rounds, { grade: "echo", loop, tools: [], evenIfUserSpoke: true, note })];
}

/**
 * The share of a side's later texts that give back what the other side has said. In a farewell either side could have
 * said each text; who plays, orders or asks has words of his own, however often he says them.
 */
function shareGivenBack(texts: readonly Sketch[], others: readonly Sketch[]): number {
  const later = texts.slice(FIRST);
  const back = later.filter((text, i) => isKnownBy(text, others.slice(0, FIRST + i + 1), GIVEN_BACK));
  return back.length / later.length;
}

function isClosing({ closes, heardCloses }: Fingerprint, chars: number): boolean {
  return closes !== undefined && heardCloses !== undefined && closes < chars && heardCloses < chars;
}
