import type { RunUsage } from "../engine/engine.ts";
import { type BudgetKind, limitedKinds, type Policy } from "../policy/policy.ts";
import type { Totals } from "../store/store.ts";
import type { Conversation, Step, Tool } from "../step.ts";

/** Usage of a session, as far as its policy limits it; steps are counted elsewhere. @param now Unix time, seconds */
export function usageIn(totals: Totals, policy: Policy, now: number): RunUsage | undefined {
  const { inputTokens = 0, outputTokens = 0, cost = 0, started = 0, starts = 0 } = totals;
  // First requests that came at once have all added their time: the session began at the mean of them.
  const seconds = starts === 0 ? 0 : Math.max(0, now - Math.floor(started / starts));
  const usage = { tokens: inputTokens + outputTokens, cost, seconds };
  const limited = limitedKinds(policy);
  const counted = Object.entries(usage).filter(([kind]) => limited.has(kind as BudgetKind));
  return counted.length === 0 ? undefined : Object.fromEntries(counted);
}

/** Four characters of an alphabet make a token; a character of Chinese, Japanese or Korean is one. */
export function tokenTally() {
  let quarters = 0;
  return {
    add(text: string): void {
      for (let i = 0; i < text.length; i++) quarters += text.charCodeAt(i) < FIRST_IDEOGRAPH ? 1 : 4;
    },
    tokens: () => Math.ceil(quarters / 4),
  };
}

/** Radicals, kana, Han, Hangul and full-width forms come after this; so do the halves of emoji, which are costly too. */
const FIRST_IDEOGRAPH = 0x2e80;

function tokensOf(texts: Iterable<string>): number {
  const tally = tokenTally();
  for (const text of texts) tally.add(text);
  return tally.tokens();
}

const saidIn = ({ calls, text }: Step) => [text, ...calls.map(({ tool, args }) => tool + args)];
export const tokensSaid = (step: Step): number => tokensOf(saidIn(step));

/** Tokens of everything that a request shows the model. Images count as the short marks that replace them. */
export function tokensAsked({ system, opening, steps }: Conversation, tools: readonly Tool[]): number {
  const shown = steps.flatMap((step) => [
    ...saidIn(step),
    ...step.calls.map(({ outcome }) => outcome?.text ?? ""),
    ...step.heard,
  ]);
  return tokensOf([system, ...opening, ...shown, ...tools.map(({ name, schema }) => name + written(schema))]);
}

/** What is nested deeper than can be written is not counted: no run may hide behind it. */
function written(schema: unknown): string {
  try {
    return JSON.stringify(schema) ?? "";
  } catch {
    return "";
  }
}
