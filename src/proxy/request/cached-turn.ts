import { watchesRetries } from "../../policy/policy.ts";
import { type Bookmark, endOfNews, isFirstAttempt, type Judge, nothingKept, turnAfter } from "../../session/session.ts";
import type { Exchange } from "../../transport/transport.ts";
import type { Decided } from "./decide-request.ts";
import { fieldOf } from "./request-metadata.ts";
import type { Guarded } from "../guard-context.ts";
import { type Arrived, hintsIn } from "./cache-keys.ts";

/**
 * What becomes of a request that only goes on where the one before it ended, and is healthy: it is forwarded. Of its body
 * nothing but the new messages is read, and of the store nothing. Undefined for all others.
 */
export function turnIn(arrived: Arrived, guarding: Guarded): Decided | undefined {
  const { shelf, protocol, policy, underWay } = guarding;
  if (shelf === undefined) return undefined;
  const hints = hintsIn(arrived, guarding);
  const found = shelf.bookmarks.find(hints);
  if (found === undefined || found.bookmark.policy !== policy) return undefined;
  const { bookmark } = found;
  const { bytes: body, exchange } = arrived;
  const end = endOfNews(body, bookmark.ending, found.byCall && hints.isOwnCall);
  const steps = end === undefined ? undefined : protocol.tail.stepsBetween(body, bookmark.ending.length, end);
  if (end === undefined || steps === undefined) return undefined;
  const at = guarding.now();
  const judge = judgeFor(bookmark, exchange, at, guarding);
  const turn = turnAfter(bookmark, { body, end, steps, byCall: found.byCall }, judge);
  if (turn === undefined) return undefined;
  const { session, source, thread } = bookmark.identity;
  return {
    plan: { kind: "forward", verdict: { session, source, verdict: "ok" } },
    found: nothingKept,
    judge,
    turn,
    at,
    runaway: policy.runaway === "off" || !bookmark.streams || turn.asksForRepetition ? undefined : policy.runaway,
    way: underWay.begin(thread),
  };
}

function judgeFor({ identity, terms }: Bookmark, exchange: Exchange, at: number, guarding: Guarded): Judge {
  const { sign, policy, underWay } = guarding;
  if (!watchesRetries(policy)) return { sign, policy };
  const counts = underWay.isAlone(identity.thread) && isFirstAttempt((name) => fieldOf(exchange, name));
  return { sign, policy, telling: { at, terms, counts } };
}
