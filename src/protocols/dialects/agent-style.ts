import type { AnswerFormat } from "../protocol.ts";
import type { Dialect } from "./dialect.ts";
import { historyOf, type Message } from "./history.ts";
import { jsonActions, wrappedActions } from "./json-actions.ts";
import { demandedForm } from "./json-form.ts";
import { demandedDialect, readText } from "./text-turn.ts";

/** How an agent acts, judged by its latest turn, or by what it was told. */
export interface AgentStyle {
  /** The dialect of its latest turn; undefined where that called tools, or said no more than prose. */
  readonly spoken: DialectUse | undefined;
  /** Its next actions will be written as text. */
  readonly hasTextActions: boolean;
  /** The dialect of its latest turn, or else the one that the instructions ask for where the model has never written it. */
  readonly manner: DialectUse | undefined;
  /** Tools whose latest calls only wrapped the agent's actions. */
  readonly wrapperTools: readonly string[];
}

/** A dialect, and what its end is worded by. */
export interface DialectUse {
  readonly dialect: Dialect;
  readonly sample: string;
  readonly instructions: string;
}

/** @param offersTools the request offers tools, so that what it asks for in text is not how it acts */
export function habitsOf(
  messages: readonly (Message | undefined)[],
  { conversation: { system, opening }, isPrompt, form } = historyOf(messages),
  offersTools = true,
): AgentStyle {
  const instructions = [system, ...opening].join("\n");
  const latest = messages.findLast((message) => message?.part === "assistant");
  const calling = messages.findLast((message) => message?.part === "assistant" && message.calls.length > 0);
  const calls = calling?.part === "assistant" ? calling.calls : [];
  const wrapping = calls.filter(({ args }) => wrappedActions(args) !== undefined);
  const turn = latest?.part === "assistant" && latest.calls.length === 0 ? readText(latest.text, "history") : undefined;
  const spoken = turn && latest && { dialect: turn.dialect, sample: latest.text, instructions };
  // Some agents tell what was said in text as calls of a tool that they do not offer.
  const [retold] = offersTools || latest !== calling ? [] : wrapping;
  const demanded = offersTools ? undefined : demandedDialect(instructions);
  const manner =
    spoken ??
    (retold && { dialect: jsonActions, sample: retold.args, instructions }) ??
    (demanded && { dialect: demanded, sample: "", instructions }) ??
    (!offersTools && form !== undefined && demandedForm(form)
      ? { dialect: jsonActions, sample: "", instructions: form }
      : undefined);
  const hasTextActions = isPrompt || (spoken !== undefined && spoken.dialect.isNative !== true);
  return { spoken, hasTextActions, manner, wrapperTools: wrapping.map(({ tool }) => tool) };
}

/** The form of a final answer: what the request demands, unless the agent's own dialect is meant by it. */
export function answerFormatFor(demanded: AnswerFormat, { manner }: AgentStyle): AnswerFormat {
  if (manner === undefined || (demanded.kind === "schema" && manner.dialect.ownsSchema !== true)) return demanded;
  return { kind: "dialect", ...manner };
}
