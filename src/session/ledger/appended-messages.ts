import { stepKey } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import type { Ledger } from "./ledger.ts";

/** Some agents add each turn's calls to one assistant message, as if it were one parallel turn: only the requests before show which came together. */
export interface AppendedMessage {
  /** Which of the messages that tell steps it is, from 0. */
  readonly at: number;
  /** Where each of its turns ends: calls and characters of text up to there. Of a message that has not grown one alone. */
  readonly ends: readonly TurnEnd[];
}

type TurnEnd = readonly [calls: number, characters: number];

/** Ends that are remembered of all messages of a thread; what was told before the oldest of them counts as one turn. */
const MAX_ENDS = 256;

/** Those that have grown, and the newest, which may yet. @param before those of a history that it adds to */
export function appendedMessages(
  steps: readonly Step[],
  before: readonly AppendedMessage[] = [],
): readonly AppendedMessage[] {
  const messages: { at: number; ends: TurnEnd[] }[] = [];
  let at = before.at(-1)?.at ?? -1;
  for (const [index, step] of steps.entries()) {
    if (step.sharesMessage !== true) at += 1;
    const isShared = step.sharesMessage === true || steps[index + 1]?.sharesMessage === true;
    if (!isShared && index < steps.length - 1) continue;
    const message = messages.at(-1);
    const [calls, characters] = (step.sharesMessage === true ? message?.ends.at(-1) : undefined) ?? [0, 0];
    const end: TurnEnd = [calls + step.calls.length, characters + step.text.length];
    if (step.sharesMessage === true && message !== undefined) message.ends.push(end);
    else messages.push({ at, ends: [end] });
  }
  return bounded(messages);
}

function bounded(messages: readonly AppendedMessage[]): readonly AppendedMessage[] {
  let left = MAX_ENDS;
  const newest: AppendedMessage[] = [];
  for (const { at, ends } of messages.toReversed()) {
    if (left <= 0) break;
    newest.unshift({ at, ends: ends.slice(-left) });
    left -= ends.length;
  }
  return newest;
}

/** A conversation with each message that has grown told as the turns that were added to it; as it is where none has. */
export function splitByTurns(ledger: Ledger | undefined, conversation: Conversation, sign: Sign): Conversation {
  const messages = ledger?.grown;
  if (ledger === undefined || messages === undefined) return conversation;
  const { steps } = conversation;
  const newest = messages.at(-1)?.at;
  const split = steps.flatMap((step, place) => {
    const message = messages.find(({ at }) => at === place);
    const ends = message && endsIn(step, message.ends, place === newest ? ledger : undefined, sign);
    return ends === undefined || ends.length === 1 ? [step] : turnsOf(step, ends);
  });
  return split.length === steps.length ? conversation : { ...conversation, steps: split };
}

/** @param ledger where the message was the newest one, and may have got a turn more */
function endsIn(step: Step, ends: readonly TurnEnd[], ledger: Ledger | undefined, sign: Sign): typeof ends | undefined {
  const [calls, characters] = ends.at(-1) ?? [0, 0];
  if (step.calls.length <= calls || ledger === undefined) return step.calls.length === calls ? ends : undefined;
  const [before, charactersBefore] = ends.at(-2) ?? [0, 0];
  const latest = {
    ...step,
    calls: step.calls.slice(before, calls),
    text: step.text.slice(charactersBefore, characters),
  };
  const expected = (ledger.pending?.fingerprint ?? ledger.window.at(-1))?.key;
  if (calls === 0 || stepKey(latest, sign) !== expected) return undefined;
  return [...ends, [step.calls.length, step.text.length]];
}

function turnsOf(step: Step, ends: readonly TurnEnd[]): readonly Step[] {
  return ends.map(([calls, characters], index): Step => {
    const [before, charactersBefore] = ends[index - 1] ?? [0, 0];
    const turn = { calls: step.calls.slice(before, calls), text: step.text.slice(charactersBefore, characters) };
    const heard = index === ends.length - 1 ? step.heard : [];
    return index === 0 ? { ...turn, heard } : { ...turn, heard, sharesMessage: true };
  });
}
