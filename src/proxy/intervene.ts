import {
  closingText,
  forceDoneNote,
  type Language,
  languageOf,
  nudgeNote,
  type Policy,
  preambleFor,
} from "../policy/policy.ts";
import { type Ask, type Edit, offersDone, type Protocol, type Reply, type Stamp } from "../protocols/protocols.ts";
import { type Followed, type Placed, taskAt } from "../session/session.ts";
import type { Step } from "../step.ts";

/** The done tool that this request offers, if any. */
export function doneToolOf(ask: Ask, policy: Policy): string | undefined {
  return policy.doneTools.find((name) => offersDone(ask, name));
}

/**
 * What has to change in a request: what the policy says before all else; the notes of earlier interventions in their old
 * places, word for word, so that the model keeps seeing them and the provider's prompt cache stays valid; then what the
 * last step calls for, and what an answer to this very request would have led to.
 */
export function editsFor(ask: Ask, followed: Followed, policy: Policy, foreseen?: Placed): readonly Edit[] {
  const { system } = ask.conversation;
  const preamble = preambleFor({ policy, system, language: languageOfRun(ask, policy) });
  const last = [followed.now, foreseen].filter((placed) => placed !== undefined);
  const notes = [...followed.earlier, ...last].flatMap((placed) => noteFor(ask, placed, policy) ?? []);
  const finishes = last.some(({ intervention }) => intervention.rung === "force-done");
  return [
    ...(preamble === undefined ? [] : [{ kind: "preamble" as const, text: preamble }]),
    ...notes,
    ...(finishes ? [{ kind: "finish" as const, tool: doneToolOf(ask, policy) }] : []),
  ];
}

/** That of the first words: what every request begins with must not change in mid-run, for the prompt cache's sake. */
function languageOfRun({ conversation }: Ask, { language }: Policy): Language {
  return language === "auto" ? languageOf(conversation.opening.join("\n")) : language;
}

/** A short-circuit leaves no note: its answer is in the history itself. */
function noteFor(ask: Ask, { intervention, step: at, about }: Placed, policy: Policy): Edit | undefined {
  const step = ask.conversation.steps[about];
  if (step === undefined || intervention.rung === "short-circuit") return undefined;
  const { language } = intervention;
  const text =
    intervention.rung === "nudge"
      ? nudgeNote(intervention, step, language, policy)
      : forceDoneNote(intervention, step, taskAt(ask.conversation, at), doneToolOf(ask, policy), language, policy);
  return { kind: "note", step: at, text };
}

/** What ends a run here: an answer that the agent understands, or an error that no SDK sends again. */
export interface Ending {
  readonly status: 200 | 400;
  readonly reply: Reply;
}

export interface EndingTerms {
  readonly protocol: Protocol;
  readonly policy: Policy;
  readonly stamp: () => Stamp;
}

/** The turn that an answer would have been, had it gone through. */
export interface Withheld {
  readonly step: Step;
  /** Its words have gone through. */
  readonly seen: boolean;
}

export function ending(ask: Ask, placed: Placed, terms: EndingTerms, withheld?: Withheld): Ending {
  const { protocol, policy, stamp } = terms;
  const text = lastWords(ask, placed, policy, withheld);
  if (policy.ending === "answer") {
    // A signal is understood only if nothing else is said, in whatever shape.
    const isSignal = text === policy.stopSignal;
    const plain: Ask = isSignal ? { ...ask, tools: [], format: { kind: "text" } } : ask;
    return { status: 200, reply: protocol.reply(plain, { text, doneTool: doneToolOf(plain, policy) }, stamp()) };
  }
  return {
    status: 400,
    reply: protocol.error({ code: "loop_detected", message: text, type: "invalid_request_error" }),
  };
}

const noStep: Step = { calls: [], text: "", heard: [] };

function lastWords(ask: Ask, { intervention, about }: Placed, policy: Policy, withheld: Withheld | undefined): string {
  const { language } = intervention;
  const speaking = { policy, system: ask.conversation.system, language };
  const ownText = policy.closing === "own-text" && withheld !== undefined;
  if (ownText && withheld.seen && withheld.step.text !== "") return "";
  const step = ownText ? withheld.step : (ask.conversation.steps[about] ?? noStep);
  return closingText(intervention, step, speaking);
}
