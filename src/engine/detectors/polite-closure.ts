import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import { wholeNumberSetting } from "../setting.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { isKnownBy, isOneMould, type TextMeasure } from "../comparing/rewording.ts";
import { BLANK } from "../../scan/scan.ts";
import { trailing, type View } from "../view.ts";

const settings = {
  /** Only messages shorter than this close, in characters. */
  chars: wholeNumberSetting(50),
};

/** Polite closure: rounds in a row in which both sides only close the conversation. Any other round starts afresh. */
export const politeClosure = defineDetector({
  name: "polite-closure",
  grades: { echo: "refining" },
  tells: "farewell",
  settings,
  detect(view, { chars }) {
    const rounds = trailing(view, (fingerprint) => isClosing(fingerprint, chars));
    if (rounds.length === 0) return echo(view);
    const note = `both sides have only said goodbye, ${rounds.length} rounds in a row`;
    const loop = "polite-closure";
    return [findingIn(rounds, { loop, tools: [], outcome: "closed", evenIfUserSpoke: true, note })];
  },
});

/** From this share of known words on a side has nothing new to say; less is enough where its texts are not made in one mould. */
const KNOWN = { inOneMould: 0.85, else: 0.6 };
/** The first rounds say for the first time what is then said again. */
const FIRST = 2;

/** A farewell in a language without a list: short words go to and fro, and both sides say again what was said before. */
function echo(view: View): readonly RawFinding[] {
  const rounds = trailing(view, ({ chats }) => chats === true);
  // What the lists know of is told by them.
  if (rounds.length <= FIRST || rounds.some(({ fingerprint }) => fingerprint.closes !== undefined)) return [];
  // One word each time is a command, or a game.
  if (rounds.filter(({ fingerprint }) => (fingerprint.heardWords ?? 0) > 1).length * 2 < rounds.length) return [];
  const said = rounds.map(({ fingerprint: { saidSimilarity = BLANK, saidWords } }) => ({
    sketch: saidSimilarity,
    words: saidWords,
  }));
  const heard = rounds.map(({ fingerprint: { heardSimilarity = BLANK, heardWords = 0 } }) => ({
    sketch: heardSimilarity,
    words: heardWords,
  }));
  if (shareKnown(said, heard) < MOST || shareKnown(heard, said) < MOST) return [];
  const note = `both sides say again what was said, ${rounds.length} rounds in a row`;
  const loop = "polite-closure:echo";
  return [findingIn(rounds, { grade: "echo", loop, tools: [], evenIfUserSpoke: true, note })];
}

/** The share of a side's later texts in which hardly a word is new after all that both have said before. */
function shareKnown(texts: readonly TextMeasure[], others: readonly TextMeasure[]): number {
  const known = isOneMould(texts) ? KNOWN.inOneMould : KNOWN.else;
  const later = texts.slice(FIRST);
  const repeats = later.filter(({ sketch }, i) => {
    const before = [...texts.slice(0, FIRST + i), ...others.slice(0, FIRST + i + 1)];
    return isKnownBy(
      sketch,
      before.map((text) => text.sketch),
      known,
    );
  });
  return repeats.length / later.length;
}

const MOST = 0.5;

function isClosing({ closes, heardCloses }: Fingerprint, chars: number): boolean {
  return closes !== undefined && heardCloses !== undefined && closes < chars && heardCloses < chars;
}
