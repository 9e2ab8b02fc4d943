import type { Dialect } from "./dialect.ts";
import type { Message } from "./history.ts";
import { wrappedActions } from "./json-actions.ts";
import { readText } from "./text-turn.ts";

/** How an agent acts, judged by its latest turn. */
export interface Habits {
  /** The dialect of that turn, and its text; undefined where it called tools, or said no more than prose. */
  readonly spoken: { readonly dialect: Dialect; readonly sample: string } | undefined;
  /** Tools whose latest calls only wrapped the agent's actions. */
  readonly wrapperTools: readonly string[];
}

export function habitsOf(messages: readonly (Message | undefined)[]): Habits {
  const latest = messages.findLast((message) => message?.part === "assistant");
  const calling = messages.findLast((message) => message?.part === "assistant" && message.calls.length > 0);
  const calls = calling?.part === "assistant" ? calling.calls : [];
  const isProse = latest?.part !== "assistant" || latest.calls.length > 0;
  const told = isProse ? undefined : readText(latest.text);
  return {
    spoken: told && latest && { dialect: told.dialect, sample: latest.text },
    wrapperTools: calls.flatMap(({ tool, args }) => (wrappedActions(args) === undefined ? [] : [tool])),
  };
}
