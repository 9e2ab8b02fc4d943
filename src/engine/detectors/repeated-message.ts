import type { Detector, Finding } from "../finding.ts";
import type { Footprint } from "../footprint.ts";
import { nearlyEqual } from "../sketch.ts";
import type { View } from "../view.ts";

/** So short a reply to a user with news is an acknowledgement, not a repetition. In words. */
const SHORT = 4;
/** How far back a refrain is looked for. In steps. */
const REACH = 24;

/** A text of a step, with the step's index in its thread. */
interface Message {
  readonly print: Footprint;
  readonly at: number;
}

/** The same text, or none, or one more announcement, turn after turn; or the same answer whatever the user says. */
export const repeatedMessage: Detector = (view) => {
  const last = view.window.at(-1);
  if (last === undefined || last.calls.length > 0) return [];
  const row = trailing(view, (print) => isSame(print, last));
  const announced = last.announces ? sinceUser(trailing(view, (print) => print.announces)) : [];
  return [
    finding(undefined, `repeated-message:${last.said === "" ? "empty" : last.said}`, row, countOf(row)),
    finding("announcement", "repeated-message:announcement", announced, announced.length),
    ...refrain(view, last),
  ].filter(({ count }) => count >= 2);
};

function finding(grade: string | undefined, loop: string, messages: readonly Message[], count: number): Finding {
  return {
    detector: "repeated-message",
    ...(grade === undefined ? {} : { grade }),
    loop,
    count,
    evidence: messages.map(({ at }) => at),
    note:
      grade === "announcement"
        ? `${messages.length} announcements, no action`
        : `the same message, ${messages.length} times`,
  };
}

/** A sentence that comes back word for word, whatever was done or said in between. */
function refrain(view: View, last: Footprint): readonly Finding[] {
  if (last.saidWords <= SHORT) return [];
  const messages = messagesOf(view)
    .slice(-REACH)
    .filter(({ print }) => print.calls.length === 0 && print.said === last.said);
  return [finding("refrain", `repeated-message:refrain:${last.said}`, messages, messages.length)];
}

function messagesOf({ window, total }: View): readonly Message[] {
  return window.map((print, i) => ({ print, at: total - window.length + i }));
}

/** The last turns without calls that are like it. */
function trailing(view: View, isLike: (print: Footprint) => boolean): readonly Message[] {
  const messages = messagesOf(view);
  const other = messages.findLastIndex(({ print }) => print.calls.length > 0 || !isLike(print));
  return messages.slice(other + 1);
}

/** What was announced to a user who then spoke is a conversation. */
function sinceUser(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.slice(0, -1).findLastIndex(({ print }) => print.heard === "user") + 1);
}

/** A user with news raises the bar; a short answer to each, or one in the same mould, is no repetition at all. */
function countOf(messages: readonly Message[]): number {
  const users = messages.slice(0, -1).filter(({ print }) => print.heard === "user").length;
  if (users === 0) return messages.length;
  const verbatim = new Set(messages.map(({ print }) => print.said)).size === 1;
  const short = messages.some(({ print }) => print.saidWords < SHORT);
  return messages.length - (verbatim && !short ? 1 : users);
}

function isSame(a: Footprint, b: Footprint): boolean {
  if (a.said === b.said) return true;
  return a.saidWords >= SHORT && b.saidWords >= SHORT && nearlyEqual(a.saidLike, b.saidLike);
}
