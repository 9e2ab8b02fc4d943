import type { Work } from "../../work.ts";
import type { AnswerFormat, ParsedRequest } from "../protocol.ts";
import type { DialectUse, Message } from "./dialect.ts";
import type { ToldHistory } from "./history.ts";
import { demandedForm, jsonActions, wrappedActions } from "./json-actions.ts";
import { calledStep, type NextStep } from "./ends.ts";
import { dialects, readText } from "./text-turn.ts";

/**
 * How an agent acts and ends, judged by its latest turn, or by what it was told.
 * @param offersTools the request offers tools, so that what it asks for in text is not how it acts
 * @param demanded the form of a final answer that the request demands, unless the agent's own dialect is meant by it
 */
export function habitsOf(
  messages: readonly (Message | undefined)[],
  { conversation: { system, opening }, isPrompt, form, shown }: ToldHistory,
  offersTools: boolean,
  { demanded, nextStep, work }: { readonly demanded: AnswerFormat; readonly nextStep?: NextStep; readonly work: Work },
): Pick<ParsedRequest, "hasTextActions" | "format"> {
  const instructions = [system, ...opening].join("\n");
  const turns = messages.filter((message) => message?.part === "assistant");
  const latest = turns.at(-1);
  const calling = turns.findLast(({ calls }) => calls.length > 0);
  const wrapping = (calling?.calls ?? []).filter(({ args }) => wrappedActions(args, work) !== undefined);
  const acts = latest?.calls.length !== 0 || (nextStep && calledStep(nextStep, latest.text, work)) !== undefined;
  const spoken = acts ? undefined : readText(latest.text, "history", work)?.dialect;
  const actsAsShown = latest !== undefined && shown?.(latest.text, work) !== undefined;
  const hasTextActions = isPrompt || actsAsShown || (spoken !== undefined && spoken.isNative !== true);
  const use = (): DialectUse | undefined => {
    if (spoken !== undefined) return { dialect: spoken, sample: latest?.text ?? "", instructions, work };
    if (offersTools) return undefined;
    // Some agents tell what was said in text as calls of a tool that they do not offer.
    const [retold] = latest === calling ? wrapping : [];
    if (retold !== undefined) return { dialect: jsonActions, sample: retold.args, instructions, work };
    const asked = dialects.find((dialect) => dialect.recognises?.(instructions));
    if (asked !== undefined) return { dialect: asked, sample: "", instructions, work };
    return form !== undefined && demandedForm(form)
      ? { dialect: jsonActions, sample: "", instructions: form, work }
      : undefined;
  };
  const own = use();
  const isDemanded = own === undefined || (demanded.kind === "schema" && own.dialect.ownsSchema !== true);
  const format: AnswerFormat = isDemanded ? demanded : { kind: "dialect", ...own };
  return { hasTextActions, format };
}
