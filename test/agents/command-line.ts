import type { Wire } from "../support/wires/wire.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";

export const calling = (tool: string, args: object): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool, args: JSON.stringify(args) }],
});

export interface Place {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export interface CommandLine {
  readonly name: string;
  readonly version: string;
  readonly wire: Wire;
  readonly executable: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The first is that of all tests but the one of places. */
  readonly places: Readonly<Record<string, (upstream: string) => Place>>;
  readonly shell: (command: string) => ScriptedAnswer;
  /** What it does again and again in a loop, if its shell does not give the same each time. */
  readonly look?: ScriptedAnswer;
  readonly finish?: ScriptedAnswer;
  /** What is typed, if it is not its name. */
  readonly command?: string;
  readonly isKnown?: boolean;
  /** What a person reads at the end of a loop, if not the guard's words. */
  readonly loopSays?: RegExp;
  /** A file of the home folder with the process (`pid`) that it leaves behind. */
  readonly daemon?: string;
  /** It writes to its settings by itself at its first start; what it writes there at every start is left out of comparisons. */
  readonly settles?: boolean;
  readonly renews?: RegExp;
  /** It answers a person's question with one call of the model: there is no loop to end. */
  readonly endsItself?: boolean;
}

export const finalText = "The notes have two lines.";
export const task = "How many lines has notes.txt?";
