import { UnloopError } from "../errors.ts";

/** Facts with names; never a text of the conversation, never a credential. */
export interface Log {
  debug(facts: object, event: string): void;
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/** An error's kind and place; its message may quote what it stumbled over. */
export function factsOf(error: unknown): object {
  if (error instanceof UnloopError) return { code: error.code, ...error.facts };
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = error.stack?.split("\n").filter((line) => line.trimStart().startsWith("at "));
  return { error: error.name, at: frames?.slice(0, 3) };
}
