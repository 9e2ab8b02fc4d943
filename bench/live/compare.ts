import { play } from "../../src/cli/replay.ts";
import type { Policy, Rung } from "../../src/policy/policy.ts";
import { rungs } from "../../src/policy/schema.ts";
import type { Conversation } from "../loopbench/conversations.ts";
import type { LiveFormat } from "./formats.ts";
import { type LiveTouch, type PlayedLive, playLive } from "./play-live.ts";
import { type RecordedRun, recordedRun } from "./recorded.ts";

/** A way of asking: a wire format, in one piece or streamed. */
export interface LiveWay {
  readonly format: LiveFormat;
  readonly streams: boolean;
}

/** What replay says would be done. */
export type ReplayTouch = Omit<LiveTouch, "replaced">;

/** One conversation, played live in one way beside its replay. */
export interface Compared {
  readonly of: Conversation;
  readonly way: LiveWay;
  readonly live: PlayedLive;
  readonly replayed: readonly ReplayTouch[];
  /** @see differenceOf */
  readonly difference: LiveDifference | undefined;
}

/** Why the two differ, by the mechanism that shows in what was done. */
export const liveDifferences = {
  cut: "the answer repeated itself and was cut off; replay does not scan answers",
  foreseen: "the look-ahead held the answer back on a supposition about its outcome, which history does not bear out",
  defied: "the recording goes on with the call that the forced answer took the place of, and is ended for that",
  unasked: "the run ends with the turn that replay judges: nothing is asked for after it",
  prefill:
    "the request ends with the assistant's own message, which this format's model goes on writing: a note has no place",
  other: "unexplained",
} as const;
export type LiveDifference = keyof typeof liveDifferences;

export async function compared(of: Conversation, way: LiveWay, policy: Policy): Promise<Compared> {
  const run = recordedRun(of);
  const live = await playLive(run, way.format, way.streams);
  const record = way.format.body(run, run.messages.length, false);
  const replayed = (play(run.id, record, policy)?.replayed.findings ?? []).map(({ turn, rung, detector }) => ({
    turn,
    rung: rungs.find((known) => known === rung) ?? "nudge",
    detector,
  }));
  return { of, way, live, replayed, difference: differenceOf(run, live.touches, replayed, way) };
}

/** Undefined: the first intervention is about the same turn, and the hardest is as hard. */
export function differenceOf(
  run: RecordedRun,
  live: readonly LiveTouch[],
  replayed: readonly ReplayTouch[],
  { format }: LiveWay,
): LiveDifference | undefined {
  const [first, supposed] = [live[0], replayed[0]];
  if (first?.turn === supposed?.turn && hardestOf(live) === hardestOf(replayed)) return undefined;
  if (live.some(({ rung }) => rung === "cut")) return "cut";
  if (first?.replaced && (supposed === undefined || first.turn < supposed.turn)) return "foreseen";
  if (hardestOf(live) > hardestOf(replayed) && live.some(isForcedInstead)) return "defied";
  const unsaid = replayed.find((touch) => hardestOf([touch]) > hardestOf(live));
  return unsaid === undefined ? "other" : whyUnsaid(run, unsaid, format);
}

function isForcedInstead({ rung, replaced }: LiveTouch): boolean {
  return rung === "force-done" && replaced;
}

function whyUnsaid({ messages, turns }: RecordedRun, { turn }: ReplayTouch, { name }: LiveFormat): LiveDifference {
  const at = turns[turn] ?? -1;
  if (at === messages.length - 1) return "unasked";
  return name === "messages" && turns[turn + 1] === at + 1 ? "prefill" : "other";
}

const ORDER: readonly (Rung | "cut")[] = [...rungs, "cut"];

/** -1 where nothing was done. */
export function hardestOf(touches: readonly ReplayTouch[]): number {
  return Math.max(-1, ...touches.map(({ rung }) => ORDER.indexOf(rung)));
}
