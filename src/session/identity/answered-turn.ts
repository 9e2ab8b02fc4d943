import type { Sign } from "../../text/sign.ts";
import { areTexts, isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { seal, unseal } from "../../text/seal.ts";
import type { Call, Step } from "../../step.ts";

/** A turn that was answered, for requests that go on from its answer by naming it: they carry nothing but what came of it. */
export interface AnsweredTurn {
  readonly calls: readonly Call[];
  readonly text: string;
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

export function answeredTurn(
  { calls, text }: Pick<Step, "calls" | "text">,
  { task, session, standIn }: Pick<AnsweredTurn, "task" | "session" | "standIn">,
  sign: Sign,
): AnsweredTurn {
  const cut = (args: string) =>
    args.length <= MAX_ARGS ? args : `${args.slice(0, MAX_ARGS)}… ${sign(`args\u0000${args}`)}`;
  return {
    calls: calls.slice(0, MAX_CALLS).map((call) => ({ ...call, args: cut(call.args) })),
    text: text.slice(0, MAX_TEXT),
    task: task.slice(0, MAX_TEXT),
    session,
    standIn,
  };
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
  return isObject(value) && Array.isArray(value.calls) && areTexts(value.text, value.task);
}
