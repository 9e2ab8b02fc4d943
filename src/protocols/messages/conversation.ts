import { withoutReminders } from "../../text/reminders.ts";
import type { Call, Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import { type Message, promptStep as stepIn } from "../dialects/dialects.ts";
import { arrayIn, isObject, type JsonObject } from "../json/json.ts";
import { blocksOf, blockText, callIn, resultIn, roleOf, wordsIn } from "./blocks.ts";

/** The messages of a history in neutral form: one of a user may be several, for it has the results in it. */
export interface NeutralMessages {
  readonly messages: readonly Message[];
  /** For each, the index of the message that it comes from; -1 for what stands in none of them. */
  readonly at: readonly number[];
}

/** @param previous a turn that the request goes on from without carrying it */
export function neutralMessages({ system, messages }: JsonObject, previous?: Message): NeutralMessages {
  const messageList = arrayIn(messages);
  const begun = previous === undefined ? messageList.findIndex((message) => roleOf(message) === "assistant") : 0;
  const prompts = blocksOf(system).flatMap(({ text }) =>
    typeof text === "string" && !BILLING.test(text) ? [text] : [],
  );
  const before = [...prompts.map((text): Message => ({ part: "instruction", text })), ...(previous ? [previous] : [])];
  const placed = messageList.flatMap((message, index) =>
    neutral(message, begun === -1 || index < begun).map((one) => ({ one, index })),
  );
  return {
    messages: [...before, ...placed.map(({ one }) => one)],
    at: [...before.map(() => -1), ...placed.map(({ index }) => index)],
  };
}

/** The step of one answer, before its client has answered anything. */
export function stepOf(message: JsonObject): Step {
  return stepIn(wordsIn(message.content), callsIn(message));
}

/** A client's note to its own bill, of one line: new with each request. */
const BILLING = /^x-[\w-]{1,64}:[^\n]*$/;

/** @param opens before the first turn: an instruction that comes later changes nothing about whose run it is */
function neutral(message: unknown, opens: boolean): readonly Message[] {
  if (!isObject(message)) return [];
  switch (roleOf(message)) {
    case "system":
      return opens ? [{ part: "instruction", text: wordsIn(message.content) }] : [];
    case "assistant":
      return [{ part: "assistant", text: wordsIn(message.content), calls: callsIn(message) }];
    case "user": {
      // Some agents put what they did beside what they were asked.
      const calls = callsIn(message);
      const heard = heardIn(message);
      return calls.length === 0 ? heard : [{ part: "assistant", text: "", calls }, ...heard];
    }
    default:
      return [];
  }
}

/** The calls of an assistant's message; those of the API's own tools are answered within it. */
function callsIn({ content }: JsonObject): readonly Call[] {
  const blocks = blocksOf(content);
  const outcomes = new Map(
    blocks.flatMap((block) => resultIn(block) ?? []).map(({ callId, outcome }) => [callId, outcome]),
  );
  return blocks.flatMap((block): readonly Call[] => {
    const call = callIn(block);
    if (call === undefined) return [];
    const outcome = call.id === undefined ? undefined : outcomes.get(call.id);
    return [outcome === undefined ? call : { outcome, ...call }];
  });
}

function heardIn({ content }: JsonObject): readonly Message[] {
  const texts: string[] = [];
  const results: Message[] = [];
  for (const block of blocksOf(content)) {
    const result = resultIn(block);
    if (callIn(block) !== undefined) continue;
    if (result !== undefined) results.push({ part: "result", id: result.callId, ...result.outcome });
    else texts.push(block.type === "text" ? withoutReminders(blockText(block)) : blockText(block));
  }
  const text = joinTexts(texts.filter((one) => one.trim() !== ""));
  return text === "" ? results : [...results, { part: "user", text }];
}
