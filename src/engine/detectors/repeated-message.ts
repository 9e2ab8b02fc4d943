import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import type { Fingerprint } from "../fingerprint/fingerprint.ts";
import { isKnownBy } from "../evidence.ts";
import { codesOf } from "../../text/codes.ts";
import { BLANK, nearlyEqual, similarity } from "../../scan/scan.ts";
import { hasFailed, isSameNotice, toolNames } from "../steps.ts";
import { type IndexedStep, indexedSteps, trailing, type View } from "../view.ts";
import { dialogue, dialogueSettings, talk } from "./dialogue.ts";

/** So short a reply to a user with news is an acknowledgement, not a repetition. In words. */
const SHORT = 4;
/** Distance at which a refrain still counts, in steps. */
const REACH = 24;

/** Repeated message: the same text, or none, or one more announcement, turn after turn; or the same answer whatever the user says. */
export const repeatedMessage = defineDetector({
  name: "repeated-message",
  grades: {
    announcement: "refining",
    refrain: "refining",
    pushed: "refining",
    unheeded: "refining",
    reworded: "refining",
    similar: "extra",
    heard: "extra",
    exchange: "extra",
    explanation: "extra",
    "no-call": "extra",
  },
  tells: {
    main: "message",
    similar: "similar-message",
    unheeded: "similar-message",
    heard: "heard",
    exchange: "exchange",
    explanation: "explanation",
    "no-call": "message-without-call",
  },
  settings: dialogueSettings,
  predicts: { by: "words", grades: ["explanation"] },
  detect(view, settings) {
    const last = view.window.at(-1);
    if (last === undefined) return [];
    const extra = dialogue(view, last, settings);
    if (last.calls.length > 0) return [...rewordings(view, last), ...extra];
    const row = talk(view, (fingerprint) => isSame(fingerprint, last));
    const announced = last.announces ? sinceUser(talk(view, (print) => print.announces === true)) : [];
    const findings = [
      finding(undefined, last.saidHash === "" ? "empty" : last.saidHash, row, countOf(row)),
      finding("announcement", "announcement", announced),
      ...refrain(view, last),
      ...pushed(view, last),
      ...unheeded(view, last),
      ...rounds(view),
    ];
    return [...findings.filter(({ count }) => count >= 2), ...extra];
  },
});

const NOTES = {
  announcement: "announcements, no action",
  pushed: "short answers to the same prompt, no action",
  unheeded: "times the same was given, no action",
  reworded: "texts that say the same, nothing new",
  refrain: "times the same message",
};

function finding(
  grade: keyof typeof NOTES | undefined,
  name: string,
  turns: readonly IndexedStep[],
  count = turns.length,
): RawFinding {
  const note = `${turns.length} ${NOTES[grade ?? "refrain"]}`;
  return findingIn(turns, { ...(grade && { grade }), loop: `repeated-message:${name}`, count, tools: [], note });
}

/** A sentence that comes back word for word, whatever was said or done in between; a user's next errand starts afresh. */
function refrain(view: View, last: Fingerprint): readonly RawFinding[] {
  if (last.saidWords <= SHORT) return [];
  const turns = talkOfErrand(view).filter(({ fingerprint }) => fingerprint.saidHash === last.saidHash);
  return [finding("refrain", `refrain:${last.saidHash}`, turns)];
}

/** The turns without calls since something was done that had not been done before. */
function talkOfErrand(view: View): readonly IndexedStep[] {
  const steps = indexedSteps(view).slice(-REACH);
  const since = steps.slice(0, -1).findLastIndex((_, i) => isNextErrand(steps, i));
  return steps.slice(since + 1).filter(({ fingerprint }) => fingerprint.calls.length === 0);
}

/** Something is heard, and what is done for it was not done before: another call, or another result. */
function isNextErrand(steps: readonly IndexedStep[], at: number): boolean {
  const next = steps[at + 1]?.fingerprint;
  if (steps[at]?.fingerprint.heard === "nothing" || next === undefined || next.calls.length === 0) return false;
  return !hasFailed(next) && steps.slice(0, at).every(({ fingerprint }) => isOtherErrand(next, fingerprint));
}

/** Of more words, a call that brings what was known may be the same call, reworded. */
const LONGEST_ERRAND = 8;

function isOtherErrand(next: Fingerprint, earlier: Fingerprint): boolean {
  if (next.callsHash === earlier.callsHash) return false;
  const isSameTool = earlier.calls.length > 0 && toolNames(next) === toolNames(earlier);
  const isBrief = next.calls.every(({ words }) => words < LONGEST_ERRAND);
  return !isSameTool || isBrief || next.outcomesHash !== earlier.outcomesHash;
}

/** Longer answers to a prompt are what is asked for: a story goes on. In words. */
const LONGEST_EXCUSE = 40;

/** The same prompt again and again, but for its figures, and the answer is a few words each time, of whatever kind. */
function pushed(view: View, last: Fingerprint): readonly RawFinding[] {
  const heard = last.heardHashes.at(-1);
  if (heard === undefined) return [];
  const isPush = (print: Fingerprint) => print.heardHashes.at(-1) === heard || isSameNotice(print, last);
  const turns = talk(view, (print) => isPush(print) && (print.automated === true || print.saidWords <= LONGEST_EXCUSE));
  const isHarness = turns.some(({ fingerprint }) => fingerprint.automated === true);
  if (!isHarness && !isPromptedToAct(view, turns)) return [];
  const parts = turns.filter((_, i) => i > 0 && isPart(turns, i)).length;
  if (parts * 2 >= turns.length) return [];
  // The same words, or hardly any, are told of elsewhere.
  if (new Set(turns.map(({ fingerprint }) => fingerprint.saidHash)).size * 2 <= turns.length) return [];
  if (turns.filter(({ fingerprint }) => fingerprint.saidWords < SHORT).length * 2 > turns.length) return [];
  // A person may say "go on" more often than a program says what it misses.
  const name = turns[0]?.fingerprint.heardHashes.at(-1);
  return [finding("pushed", `pushed:${name}`, turns, turns.length - parts - (isHarness ? 0 : 1))];
}

/** So many words, of which no answer before has said many, are a chapter, or a part of a list. */
const PART = { words: 16, known: 0.3 };

function isPart(turns: readonly IndexedStep[], at: number): boolean {
  const { saidWords = 0, saidSimilarity: said = BLANK } = turns[at]?.fingerprint ?? {};
  const isLike = ({ fingerprint }: IndexedStep) => similarity(said, fingerprint.saidSimilarity ?? BLANK) >= PART.known;
  return saidWords >= PART.words && !turns.slice(0, at).some(isLike);
}

/** Of more turns the sketches know any text. */
const LOOK_BACK = 6;

/** Whether at least so much of what a turn says has been said in those before it. */
function saysKnown(turns: readonly IndexedStep[], at: number, share: number): boolean {
  const near = turns.slice(Math.max(0, at - LOOK_BACK), at + 1);
  const sketches = near.map(({ fingerprint: { saidSimilarity = BLANK } }) => saidSimilarity);
  return isKnownBy(sketches.at(-1) ?? BLANK, sketches.slice(0, -1), share);
}

/** Who is told to go on in a run of acts, or says what comes next, is to act: a story that goes on is told in words. */
function isPromptedToAct(view: View, turns: readonly IndexedStep[]): boolean {
  const announced = turns.filter(({ fingerprint }) => fingerprint.announces).length;
  if (announced === turns.length) return false;
  if (turns.some(({ fingerprint }) => fingerprint.heard === "prompt"))
    return announced * 2 >= turns.length || view.actions.length > 0;
  // A few words, the same each time, in whatever language.
  return announced * 2 >= turns.length && turns.every(({ fingerprint }) => (fingerprint.heardWords ?? SHORT) < SHORT);
}

/** From this share of words on that it has said before, the agent goes on asking. */
const ASKED_AGAIN = 0.3;

/** The other side gives the same number or code again and again, and the agent, who says much the same, does nothing with it. */
function unheeded(view: View, last: Fingerprint): readonly RawFinding[] {
  const turns = talkOfErrand(view);
  if (last.given === undefined || !saysKnown(turns, turns.length - 1, ASKED_AGAIN)) return [];
  const gives = (code: string) => turns.filter(({ fingerprint: { given } }) => codesOf(given).includes(code));
  const rows = codesOf(last.given).map(gives);
  const most = rows.sort((a, b) => b.length - a.length)[0] ?? [];
  return [{ ...finding("unheeded", `unheeded:${most[0]?.fingerprint.given}`, most), evenIfUserSpoke: true }];
}

/** Exchanges of a round: both sides say what they said a round ago, word for word. */
const LONGEST_ROUND = 4;
const LEAST_ROUNDS = 3;

function rounds(view: View): readonly RawFinding[] {
  const turns = talk(view);
  const keys = turns.map(({ fingerprint: { saidHash, heardHashes } }) => `${saidHash} ${heardHashes.join()}`);
  for (let lap = 2; lap <= LONGEST_ROUND; lap++) {
    const other = keys.findLastIndex((key, i) => i + lap < keys.length && key !== keys[i + lap]);
    const count = Math.floor((keys.length - 1 - other) / lap);
    const round = keys.slice(-lap).sort();
    if (count >= LEAST_ROUNDS && new Set(round).size > 1)
      return [finding("refrain", `rounds:${round[0]}`, turns.slice(other + 1), count)];
  }
  return [];
}

/** Texts that say the same in other words: thoughts, notes, or what is sent to one recipient. */
function rewordings(view: View, last: Fingerprint): readonly RawFinding[] {
  const [turns, share] = isReflection(last)
    ? [trailing(view, (print) => isReflection(print) && print.heard !== "user"), KNOWN]
    : [sentToOne(view, last), SENT];
  const again = reworded(
    turns.flatMap(({ fingerprint: { calls } }) => calls.slice(0, 1)),
    share,
  );
  const repeats = turns.filter((_, i) => i === 0 || again[i] === true);
  const isRow = again.at(-1) === true && repeats.length >= 2 && repeats.length * 2 > turns.length;
  return isRow ? [finding("reworded", "reworded", repeats)] : [];
}

/** A memory, a finding: what is written down in whole sentences for oneself. */
const JOTS = /(^|[^a-z])(notes?|memo|memory|memori[sz]e|remember|insights?|findings?|observations?|journal)([^a-z]|$)/i;
const LEAST_WORDS = 8;

function isReflection(fingerprint: Fingerprint): boolean {
  return fingerprint.thinks === true || JOTS.test(textIn(fingerprint)?.tool ?? "");
}

/** The only call of a turn that says something in whole sentences. */
function textIn({ calls: [call, another] }: Fingerprint): Fingerprint["calls"][number] | undefined {
  return call === undefined || another !== undefined || call.words < LEAST_WORDS ? undefined : call;
}

/** So near that words are all it comes to: who is asked before each deletion can end that himself. In steps. */
const NEAR = 15;

/** What was sent to the same recipient since a user spoke, whatever was done in between. */
function sentToOne(view: View, last: Fingerprint): readonly IndexedStep[] {
  const to = textIn(last);
  if (to === undefined || (to.kind !== "send" && !ASKS.test(to.tool))) return [];
  const steps = indexedSteps(view).slice(-NEAR);
  const since = steps.slice(0, -1).findLastIndex(({ fingerprint }) => fingerprint.heard === "user");
  return steps.slice(since + 1).filter(({ fingerprint }) => {
    const sent = textIn(fingerprint);
    return sent?.tool === to.tool && sent.kind === to.kind && sent.place === to.place;
  });
}

/** A person is asked by a tool, too. */
const ASKS = /^(?=.*(?:question|user|human))(?:.*[^a-z])?ask(?![a-z])/;

/** From this share of known words on a text says nothing new. */
const KNOWN = 0.7;
const SENT = 0.6;
/** Texts that differ by no more words in length are made in one mould. */
const MOULD = 2;

/**
 * Which texts say again what those before them have said, in other words. A list told in one mould ("consider the river
 * table …", "consider the stone table …") is none: what differs is what is told.
 */
function reworded(texts: Fingerprint["calls"], share: number): readonly boolean[] {
  const lengths = texts.map(({ words }) => words);
  const isOneMould = Math.max(...lengths) - Math.min(...lengths) <= MOULD;
  const sketches = texts.map(({ similarity }) => similarity);
  return sketches.map((sketch, i) => !isOneMould && isKnownBy(sketch, sketches.slice(0, i), share));
}

/** What was announced to a user who then spoke is a conversation. */
function sinceUser(turns: readonly IndexedStep[]): readonly IndexedStep[] {
  return turns.slice(turns.slice(0, -1).findLastIndex(({ fingerprint }) => fingerprint.heard === "user") + 1);
}

/** A user with news raises the bar; a short answer to each, or one in the same mould, is no repetition at all. */
function countOf(turns: readonly IndexedStep[]): number {
  const users = turns.slice(0, -1).filter(({ fingerprint }) => isAsked(fingerprint)).length;
  if (users === 0) return turns.length;
  const verbatim = new Set(turns.map(({ fingerprint }) => fingerprint.saidHash)).size === 1;
  const short = turns.some(({ fingerprint }) => fingerprint.saidWords < SHORT);
  return turns.length - (verbatim && !short ? 1 : users);
}

/** A heartbeat: the same short answer to the same question each time. Silence is not one. */
function isAsked({ heard, saidHash, saidWords }: Fingerprint): boolean {
  return heard === "user" || (heard === "again" && saidHash !== "" && saidWords < SHORT);
}

function isSame(a: Fingerprint, b: Fingerprint): boolean {
  if (a.saidHash === b.saidHash) return true;
  return (
    a.saidWords >= SHORT && b.saidWords >= SHORT && nearlyEqual(a.saidSimilarity ?? BLANK, b.saidSimilarity ?? BLANK)
  );
}
