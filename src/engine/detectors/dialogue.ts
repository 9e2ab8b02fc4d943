import { findingIn, type RawFinding, type SettingValues, shareSetting, wholeNumberSetting } from "../detector.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { relate } from "../relation.ts";
import { BLANK, similarity } from "../../scan/scan.ts";
import { toolsIn, trailing, type IndexedStep, type View } from "../view.ts";
import type { Work } from "../../work.ts";

export const dialogueSettings = {
  /** From this share of common words on, 0 to 1, the messages of a dialogue are similar. */
  alike: shareSetting(0.8),
  /** Messages of a dialogue with fewer words are acknowledgements and never similar. */
  words: wholeNumberSetting(4),
};

type DialogueSettings = SettingValues<typeof dialogueSettings>;

/**
 * Grades that policies have to ask for: rows that a user's news does not interrupt.
 * `similar`: messages of this side; `heard`: messages of the other; `exchange`: both, word for word, however short;
 * `explanation`: the same words beside calls;
 * `no-call`: turns of talk.
 */
export function dialogue(view: View, last: Fingerprint, settings: DialogueSettings): readonly RawFinding[] {
  if (last.calls.length > 0) return explanation(view, last);
  const similar = talk(view, (print) => isSimilar(saidIn(print), saidIn(last), settings));
  const heard = talk(view, (print) => isSimilar(heardIn(print), heardIn(last), settings));
  const quiet = talk(view);
  // Named after the first of the row: near-equal messages have names of their own.
  const [said, theirs] = [similar[0]?.fingerprint.saidHash, heard[0]?.fingerprint.heardHashes.at(-1)];
  return [
    finding("similar", said, similar, "similar messages in a row"),
    finding("heard", theirs, heard, "similar messages heard in a row"),
    exchange(quiet),
    finding("no-call", "", quiet, "turns without a tool call"),
  ].filter(({ count }) => count >= 2);
}

/** The newest turns in a row without a call. */
export function talk(view: View, isLike: (fingerprint: Fingerprint) => boolean = () => true): readonly IndexedStep[] {
  return trailing(view, (print) => print.calls.length === 0 && isLike(print));
}

/** So many rounds go round at most; what was said longer ago may be said again. */
const LONGEST_ROUND = 6;

/** Rounds in a row in which both sides say to each other what they have just said; another word of either starts afresh. */
function exchange(talk: readonly IndexedStep[]): RawFinding {
  const pairs = talk.map(({ fingerprint: { saidHash, heardHashes } }) => `${saidHash} ${heardHashes.join(" ")}`);
  let rounds: readonly IndexedStep[] = [];
  for (const [i, round] of talk.entries()) {
    const isHeard = round.fingerprint.heardHashes.length > 0;
    const isAgain = isHeard && pairs.slice(Math.max(0, i - LONGEST_ROUND), i).includes(pairs[i] ?? "");
    rounds = isAgain ? [...rounds, round] : [round];
  }
  return finding("exchange", rounds[0]?.fingerprint.saidHash, rounds, "rounds in a row of what both sides said before");
}

/** Whether two turns, whatever they did, have led to one page. A page that nothing is told of has not changed. */
function isSamePageAfter(one: Fingerprint, other: Fingerprint, work: Work): boolean {
  const [ours, theirs] = [one.calls.filter(isTelling), other.calls.filter(isTelling)];
  if (ours.length === 0 || theirs.length === 0) return true;
  return ours.some((a) => theirs.some((b) => relate(a, b, work, undefined, "state").result < 1));
}

const isTelling = ({ outcome }: Fingerprint["calls"][number]): boolean => outcome?.weight === "informative";

/** The words beside the calls stay the same, whatever the calls are, and so does what they lead to. */
function explanation(view: View, last: Fingerprint): readonly RawFinding[] {
  if (last.saidHash === "") return [];
  const row = trailing(view, (fingerprint) => fingerprint.calls.length > 0 && fingerprint.saidHash === last.saidHash);
  const changed = row.findLastIndex(({ fingerprint }, i) => {
    const next = row[i + 1];
    return next !== undefined && !isSamePageAfter(fingerprint, next.fingerprint, view.work);
  });
  const turns = row.slice(changed + 1);
  if (turns.length < 2) return [];
  const raw = finding("explanation", last.saidHash, turns, "turns of calls with the same explanation");
  return [{ ...raw, repeats: turns.length - 1, tools: toolsIn(turns) }];
}

function finding(grade: string, name: string | undefined, turns: readonly IndexedStep[], what: string): RawFinding {
  return findingIn(turns, {
    grade,
    loop: `repeated-message:${grade}:${name ?? ""}`,
    tools: [],
    evenIfUserSpoke: true,
    ...(turns.every(({ fingerprint }) => takesLeave(fingerprint)) && { outcome: "closed" as const }),
    note: `${turns.length} ${what}`,
  });
}

/** Farewells of both sides, or signs without a word. What else a few words want cannot be told. */
function takesLeave({ calls, closes, heardCloses, saidWords, heardWords = 0 }: Fingerprint): boolean {
  if (calls.length > 0) return false;
  return (closes !== undefined && heardCloses !== undefined) || saidWords + heardWords === 0;
}

/** Nothing heard is like nothing. */
function isSimilar(a: Words, b: Words, { alike, words }: DialogueSettings): boolean {
  return Math.min(a[1], b[1]) >= words && similarity(a[0], b[0]) >= alike;
}

type Words = readonly [like: string, count: number];
const saidIn = ({ saidSimilarity = BLANK, saidWords }: Fingerprint): Words => [saidSimilarity, saidWords];
const heardIn = ({ heardSimilarity = "", heardWords = 0 }: Fingerprint): Words => [heardSimilarity, heardWords];
