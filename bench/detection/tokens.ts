import { chatCompletions } from "../../src/protocols/protocols.ts";
import type { Rung } from "../../src/policy/policy.ts";
import { rungs } from "../../src/policy/budget.ts";
import { tokensAsked, tokensSaid } from "../../src/session/session.ts";
import type { Labelled } from "./data.ts";
import type { Flag } from "./rules.ts";
import type { Verdict } from "./verdict.ts";

/** Estimated tokens: the input of requests, which re-sends the whole history each time, and what the model wrote. */
export interface Tokens {
  readonly sent: number;
  readonly written: number;
}

/** What looping runs spent after their loop had begun, and how much of it came after each rung: shares, 0 to 1. */
export interface Spent {
  readonly afterOnset: Tokens;
  /** A rule without such a rung has none. */
  readonly after: Partial<Readonly<Record<Rung, Spared>>>;
}

/** What a rung would have spared at most; nothing in runs that did not reach it. */
export interface Spared {
  readonly sent: number;
  readonly written: number;
  /** The mean of all runs' own shares of `sent`: in the sums, a few long runs outweigh all others. */
  readonly run: number;
}

/** From the turn that shows the loop to the first turn that the rung can spare. */
const HELD_BY: Readonly<Record<Rung, number>> = { nudge: 2, "force-done": 2, "short-circuit": 1 };

/**
 * The label's turn itself has been paid for when anybody can say that it loops: spending starts with the request after
 * it. An end spares that one already; a word and a forced answer need it, and spare at most what comes then.
 */
export function spentIn(verdicts: readonly Verdict[]): Spent {
  const loops = verdicts.filter(({ of }) => of.loops);
  const spared = (rung: Rung): Spared =>
    sparedIn(
      loops.map((verdict) => ({ verdict, first: later(verdict.of, turnOf(verdict.right, rung), HELD_BY[rung]) })),
    );
  const known = rungs.filter((rung) => loops.some(({ flags }) => flags.some((flag) => flag.rung === rung)));
  return {
    afterOnset: sum(loops.map(({ of }) => tokensFrom(of, onset(of)))),
    after: Object.fromEntries(known.map((rung) => [rung, spared(rung)])),
  };
}

function sparedIn(runs: readonly { readonly verdict: Verdict; readonly first: number | undefined }[]): Spared {
  const spent = runs.map(({ verdict: { of } }) => tokensFrom(of, onset(of)));
  const spared = runs.map(({ verdict: { of }, first }) => tokensFrom(of, first));
  const shares = spent.flatMap(({ sent }, i) => (sent === 0 ? [] : [(spared[i]?.sent ?? 0) / sent]));
  return {
    sent: sum(spared).sent / sum(spent).sent,
    written: sum(spared).written / sum(spent).written,
    run: shares.reduce((a, b) => a + b, 0) / shares.length,
  };
}

const sum = (all: readonly Tokens[]): Tokens => all.reduce(plus, none);

const none: Tokens = { sent: 0, written: 0 };

const onset = ({ start }: Labelled): number => (start ?? 0) + 1;

function later(of: Labelled, turn: number | undefined, turns: number): number | undefined {
  return turn === undefined ? undefined : Math.max(onset(of), turn + turns);
}

/** The first turn at which so much was done, or more. */
function turnOf(flags: readonly Flag[], least: Rung): number | undefined {
  return flags.find(({ rung }) => rungs.indexOf(rung) >= rungs.indexOf(least))?.turn;
}

function tokensFrom(of: Labelled, first: number | undefined): Tokens {
  return first === undefined ? none : sum(turnTokens(of).slice(first));
}

const plus = (a: Tokens, b: Tokens): Tokens => ({ sent: a.sent + b.sent, written: a.written + b.written });

/** Conversations live as long as the run: each is counted once for all rules. */
const counted = new WeakMap<Labelled, readonly Tokens[]>();

/** One entry for each turn: the request that asked for it, and its answer. Offered tools are not in the recordings. */
function turnTokens(of: Labelled): readonly Tokens[] {
  const known = counted.get(of);
  if (known !== undefined) return known;
  const conversation = chatCompletions.parse(JSON.stringify({ messages: of.messages }))?.conversation;
  const tokens = (conversation?.steps ?? []).map((step, i, steps) => ({
    sent: conversation === undefined ? 0 : tokensAsked({ ...conversation, steps: steps.slice(0, i) }, []),
    written: tokensSaid(step),
  }));
  counted.set(of, tokens);
  return tokens;
}
