import type { Step } from "../step.ts";
import type { Policy } from "./policy-type.ts";
import { finalText, type Language, languageOf, type NoteFacts } from "./wording/wording.ts";

/** Facts about the request that a policy's texts depend on. */
export interface Speaking {
  readonly policy: Policy;
  /** The request's system texts. */
  readonly system: string;
  readonly language: Language;
}

/**
 * What a short-circuit says: the stop signal alone where the guarded side was told to end with it, else the turn's own
 * text where the policy prefers that, else the reason. @param step the turn that the finding is about
 */
export function closingText(facts: NoteFacts, step: Step, { policy, system, language }: Speaking): string {
  if (mentionsStop(policy, system)) return policy.stopSignal ?? "";
  const own = policy.finalText === "own-text" ? step.text.trim() : "";
  return own || finalText(facts, step, language, policy);
}

/** Preamble to add to the system prompt; undefined if there is none, or it is there already. */
export function preambleFor({ policy, system, language }: Speaking): string | undefined {
  const { preamble, stopSignal = "" } = policy;
  if (preamble === undefined || (preamble.when === "stop-signal" && !mentionsStop(policy, system))) return undefined;
  const { text } = preamble;
  // Who was told of a signal was told in the language of its own instructions, whatever language it is greeted in.
  const own = preamble.when === "stop-signal" ? languageOf(system) : language;
  const template = typeof text === "string" ? text : (text[own] ?? text.en ?? Object.values(text)[0] ?? "");
  const preambleText = template.replaceAll("{signal}", () => stopSignal);
  return preambleText === "" || system.includes(preambleText) ? undefined : preambleText;
}

function mentionsStop({ stopSignal }: Policy, system: string): boolean {
  return stopSignal !== undefined && stopSignal !== "" && system.includes(stopSignal);
}
