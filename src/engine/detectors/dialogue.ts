import type { Finding } from "../finding.ts";
import type { Footprint } from "../fingerprint.ts";
import type { Settings } from "../settings.ts";
import { similarity } from "../sketch.ts";
import { toolsIn, trailing, type Turn, type View } from "../view.ts";

/**
 * The `extra` grades of `repeated-message`, for policies that ask for them: rows that a user's news does not interrupt.
 * `similar`: messages of this side; `heard`: messages of the other; `explanation`: the same words beside calls;
 * `no-call`: turns of talk.
 */
export function dialogue(view: View, last: Footprint, settings: Settings["repeated-message"]): readonly Finding[] {
  if (last.calls.length > 0) return explanation(view, last);
  const talk = (isLike: (print: Footprint) => boolean) =>
    trailing(view, (print) => print.calls.length === 0 && isLike(print));
  const similar = talk((print) => isSimilar(saidIn(print), saidIn(last), settings));
  const heard = talk((print) => isSimilar(heardIn(print), heardIn(last), settings));
  const quiet = talk(() => true);
  return [
    // Named after the first of the row: near-equal messages have names of their own.
    finding("similar", similar[0]?.print.said ?? "", similar, `${similar.length} similar messages in a row`),
    finding("heard", heard[0]?.print.heardSigs.at(-1) ?? "", heard, `${heard.length} similar messages heard in a row`),
    finding("no-call", "", quiet, `${quiet.length} turns without a tool call`),
  ].filter(({ count }) => count >= 2);
}

/** The words beside the calls stay the same, whatever the calls are. */
function explanation(view: View, last: Footprint): readonly Finding[] {
  if (last.said === "") return [];
  const turns = trailing(view, (print) => print.calls.length > 0 && print.said === last.said);
  const found = finding("explanation", last.said, turns, `the same explanation for ${turns.length} turns of calls`);
  return turns.length < 2 ? [] : [{ ...found, tools: toolsIn(turns) }];
}

function finding(grade: string, name: string, turns: readonly Turn[], note: string): Finding {
  return {
    detector: "repeated-message",
    grade,
    loop: `repeated-message:${grade}:${name}`,
    count: turns.length,
    evidence: turns.map(({ at }) => at),
    tools: [],
    whoeverSpoke: true,
    note,
  };
}

interface Words {
  readonly like: string;
  readonly words: number;
}

const saidIn = (print: Footprint): Words => ({ like: print.saidLike, words: print.saidWords });
/** Nothing heard is like nothing. */
const heardIn = ({ heardLike = "", heardWords = 0 }: Footprint): Words => ({ like: heardLike, words: heardWords });

function isSimilar(a: Words, b: Words, { alike, words }: Settings["repeated-message"]): boolean {
  return Math.min(a.words, b.words) >= words && similarity(a.like, b.like) >= alike;
}
