import type { Sign } from "../../text/sign.ts";
import { areTexts, isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { seal, unseal } from "../../text/seal.ts";
import type { Call, Step } from "../../step.ts";

/** A turn that was answered, for requests that go on from its answer by naming it: they carry nothing but what came of it. */
export interface AnsweredTurn {
  readonly calls: readonly Call[];
  readonly text: string;
  /** Turns before it, without outcomes; only where requests refer to them, too. */
  readonly earlier?: readonly Pick<Step, "calls" | "text">[] | undefined;
  /** Task that the agent was given last; empty if it is not known. */
  readonly task: string;
  /** The name of its session, as the client gave it. */
  readonly session?: string | undefined;
  /** Where the upstream knows it by another name, or not at all: the answer that requests go on from there, and what they say first. */
  readonly standIn?: { readonly answerId: string; readonly items: string } | undefined;
}

/** Longer arguments are told apart, and told no more. In characters. */
const MAX_ARGS = 8_192;
const MAX_TEXT = 2_048;
const MAX_CALLS = 32;
/** Earlier turns that are known, and their characters; the oldest are forgotten first. */
const MAX_EARLIER = 64;
const MAX_EARLIER_TEXT = 65_536;

export function answeredTurn(
  step: Pick<Step, "calls" | "text">,
  { earlier, task, session, standIn }: Pick<AnsweredTurn, "earlier" | "task" | "session" | "standIn">,
  sign: Sign,
): AnsweredTurn {
  return {
    ...cutTurn(step, sign),
    earlier: earlier && newest(earlier.slice(-MAX_EARLIER).map((turn) => cutTurn(turn, sign))),
    task: task.slice(0, MAX_TEXT),
    session,
    standIn,
  };
}

function cutTurn({ calls, text }: Pick<Step, "calls" | "text">, sign: Sign): Pick<Step, "calls" | "text"> {
  const cut = (args: string) =>
    args.length <= MAX_ARGS ? args : `${args.slice(0, MAX_ARGS)}… ${sign(`args\u0000${args}`)}`;
  return {
    calls: calls.slice(0, MAX_CALLS).map((call) => ({ ...call, args: cut(call.args) })),
    text: text.slice(0, MAX_TEXT),
  };
}

function newest(turns: readonly Pick<Step, "calls" | "text">[]): AnsweredTurn["earlier"] {
  let size = 0;
  const dropped = turns.findLastIndex(({ calls, text }) => {
    size += calls.reduce((sum, { args }) => sum + args.length, text.length);
    return size > MAX_EARLIER_TEXT;
  });
  return turns.slice(dropped + 1);
}

/** So that only a request which names the answer can open it: a store that holds it knows the answer's name by a signature alone. */
export function sealTurn(turn: AnsweredTurn, answerId: string, tenant: string, sign: Sign): string {
  return seal(keyFor(answerId, tenant, sign), JSON.stringify(turn));
}

/** Undefined for what is no such turn, or another answer's. */
export function unsealTurn(sealed: string, answerId: string, tenant: string, sign: Sign): AnsweredTurn | undefined {
  const text = unseal(keyFor(answerId, tenant, sign), sealed);
  const value = text === undefined ? undefined : parseJson(text);
  return isTurn(value) ? value : undefined;
}

function keyFor(answerId: string, tenant: string, sign: Sign): string {
  // A signature is short; two of them make a key.
  return ["seal", "open"].map((part) => sign(`${part}\u0000${tenant}\u0000${answerId}`)).join("");
}

function isTurn(value: unknown): value is AnsweredTurn {
  return isObject(value) && [value.calls, value.earlier ?? []].every(Array.isArray) && areTexts(value.text, value.task);
}
