import type { ScriptedAnswer } from "../../test/support/wires/scripted-answer.ts";
import { chanceFrom, prose } from "../load/material.ts";
import { type Turn, turnOf } from "../load/turns.ts";
import type { Kind } from "./kinds.ts";

/** A request of a run, as it says itself in a field of its head. */
export interface Asking {
  readonly kind: Kind;
  readonly run: string;
  /** How many requests of the run were answered before. */
  readonly turn: number;
}

/** The turn of a healthy run that comes so many requests after its beginning. */
const turns = new Map<string, Turn>();

export function healthyTurn({ shape }: Kind, index: number): Turn {
  const key = `${shape.name} ${index}`;
  const turn = turns.get(key) ?? turnOf(shape, index);
  turns.set(key, turn);
  return turn;
}

/** What a looping model calls again and again, and what that brings. */
export const AGAIN = { tool: "search", args: JSON.stringify({ pattern: "total", path: "src" }) };
export const AGAIN_RESULT = prose(chanceFrom(7), 900);

/** The model's own last words. */
export const FINAL =
  "The totals differ since the discount is rounded before the tax is added; two files are to be changed.";

/** Turns that a model still takes after it has been nudged. */
const TURNS_AFTER_NUDGE = 2;

/** @param heardAt the turn at which it first heard a note; undefined: it has not, or does not listen */
export function saidTo({ kind, turn }: Asking, heardAt: number | undefined): ScriptedAnswer {
  const { from, requests, loopsAfter } = kind;
  if (heardAt !== undefined)
    return turn >= heardAt + TURNS_AFTER_NUDGE ? { kind: "text", text: FINAL } : called(kind, from + requests + turn);
  if (loopsAfter !== undefined && turn >= loopsAfter) {
    const said = prose(chanceFrom(turn + 1), 200);
    return { kind: "calls", calls: [AGAIN], text: said };
  }
  return turn >= requests - 1 ? { kind: "text", text: FINAL } : called(kind, from + turn);
}

function called(kind: Kind, index: number): ScriptedAnswer {
  const { pieces, tool, args } = healthyTurn(kind, index);
  return { kind: "calls", calls: [{ tool, args }], text: pieces.join("") };
}
