import type { Sighting } from "../detector.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { type SettingValues, shareSetting, wholeNumberSetting } from "../setting.ts";
import { similarity } from "../sketch.ts";
import { toolsIn, trailing, type IndexedStep, type View } from "../view.ts";

export const dialogueSettings = {
  /** From this share of common words on, 0 to 1, the messages of a dialogue are similar. */
  alike: shareSetting(0.8),
  /** Messages of a dialogue with fewer words are acknowledgements and never similar. */
  words: wholeNumberSetting(4),
};

type DialogueSettings = SettingValues<typeof dialogueSettings>;

/**
 * Grades that policies have to ask for: rows that a user's news does not interrupt.
 * `similar`: messages of this side; `heard`: messages of the other; `explanation`: the same words beside calls;
 * `no-call`: turns of talk.
 */
export function dialogue(view: View, last: Fingerprint, settings: DialogueSettings): readonly Sighting[] {
  if (last.calls.length > 0) return explanation(view, last);
  const talk = (isLike: (fingerprint: Fingerprint) => boolean) =>
    trailing(view, (print) => print.calls.length === 0 && isLike(print));
  const similar = talk((print) => isSimilar(saidIn(print), saidIn(last), settings));
  const heard = talk((print) => isSimilar(heardIn(print), heardIn(last), settings));
  const quiet = talk(() => true);
  return [
    // Named after the first of the row: near-equal messages have names of their own.
    finding("similar", similar[0]?.fingerprint.said ?? "", similar, `${similar.length} similar messages in a row`),
    finding(
      "heard",
      heard[0]?.fingerprint.heardHashes.at(-1) ?? "",
      heard,
      `${heard.length} similar messages heard in a row`,
    ),
    finding("no-call", "", quiet, `${quiet.length} turns without a tool call`),
  ].filter(({ count }) => count >= 2);
}

/** The words beside the calls stay the same, whatever the calls are. */
function explanation(view: View, last: Fingerprint): readonly Sighting[] {
  if (last.said === "") return [];
  const turns = trailing(view, (fingerprint) => fingerprint.calls.length > 0 && fingerprint.said === last.said);
  const found = finding("explanation", last.said, turns, `the same explanation for ${turns.length} turns of calls`);
  return turns.length < 2 ? [] : [{ ...found, tools: toolsIn(turns) }];
}

function finding(grade: string, name: string, turns: readonly IndexedStep[], note: string): Sighting {
  return {
    grade,
    loop: `${grade}:${name}`,
    count: turns.length,
    evidence: turns.map(({ at }) => at),
    tools: [],
    whoeverSpoke: true,
    note,
  };
}

interface DialogueWords {
  readonly like: string;
  readonly words: number;
}

const saidIn = (fingerprint: Fingerprint): DialogueWords => ({
  like: fingerprint.saidSimilarity,
  words: fingerprint.saidWords,
});
/** Nothing heard is like nothing. */
const heardIn = ({ heardSimilarity = "", heardWords = 0 }: Fingerprint): DialogueWords => ({
  like: heardSimilarity,
  words: heardWords,
});

function isSimilar(a: DialogueWords, b: DialogueWords, { alike, words }: DialogueSettings): boolean {
  return Math.min(a.words, b.words) >= words && similarity(a.like, b.like) >= alike;
}
