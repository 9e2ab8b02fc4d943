import type { Conversation, Step, Tool } from "../../step.ts";

/** Counts the tokens of texts that come in pieces, by a rule of thumb. */
export interface TokenTally {
  add(text: string): void;
  tokens(): number;
}

/** Four characters of an alphabet make a token; a character of Chinese, Japanese or Korean is one. */
export function tokenTally(): TokenTally {
  let quarters = 0;
  return {
    add(text) {
      for (let i = 0; i < text.length; i++) quarters += text.charCodeAt(i) < FIRST_IDEOGRAPH ? 1 : 4;
    },
    tokens: () => Math.ceil(quarters / 4),
  };
}

/** Radicals, kana, Han, Hangul and full-width forms come after this; so do the halves of emoji, which are costly too. */
const FIRST_IDEOGRAPH = 0x2e80;

/** Tokens that an answer's step would have been counted as. */
export function tokensSaid(step: Step): number {
  const tally = tokenTally();
  addTurn(tally, step);
  return tally.tokens();
}

/** Tokens of everything that a request shows the model. Images count as the short marks that replace them. */
export function tokensAsked({ system, opening, steps }: Conversation, tools: readonly Tool[]): number {
  const tally = tokenTally();
  for (const text of [system, ...opening]) tally.add(text);
  for (const step of steps) {
    addTurn(tally, step);
    for (const { outcome } of step.calls) tally.add(outcome?.text ?? "");
    for (const text of step.heard) tally.add(text);
  }
  for (const { name, schema } of tools) tally.add(name + (JSON.stringify(schema) ?? ""));
  return tally.tokens();
}

function addTurn(tally: TokenTally, { calls, text }: Step): void {
  tally.add(text);
  for (const { tool, args } of calls) tally.add(tool + args);
}
