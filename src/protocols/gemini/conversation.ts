import type { Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import { type Message, promptStep } from "../dialects/dialects.ts";
import type { JsonObject } from "../json/json.ts";
import { listIn, memberOf } from "./names.ts";
import { callsIn } from "./calls.ts";
import { functionResultIn, isModels, partsOf, partText, wordsIn } from "./parts.ts";

/** The contents of a history in neutral form: one of a user may be several, for it has the results in it. */
export interface NeutralContents {
  readonly messages: readonly Message[];
  /** For each, the index of the content that it comes from (of a turn, its last one); -1 for what stands in none of them. */
  readonly at: readonly number[];
}

/** Clients that read a stream keep a content for each chunk: what the model says without anything between is one turn. */
export function neutralContents(body: JsonObject): NeutralContents {
  const system = instructionText(body);
  const messages: Message[] = system === "" ? [] : [{ part: "instruction", text: system }];
  const at: number[] = messages.map(() => -1);
  let turn: JsonObject[] = [];
  const contents = listIn(body.contents);
  for (const [index, content] of contents.entries()) {
    if (isModels(content)) {
      for (const part of partsOf(content)) turn.push(part);
      if (isModels(contents[index + 1])) continue;
    }
    const said: Message = { part: "assistant", text: wordsIn(turn), calls: callsIn(turn) };
    const told = isModels(content) ? [said] : heardIn(partsOf(content));
    for (const message of told) {
      messages.push(message);
      at.push(index);
    }
    turn = [];
  }
  return { messages, at };
}

export function instructionText(body: JsonObject): string {
  return joinTexts(partsOf(memberOf(body, "systemInstruction")).map(partText));
}

/** The step of one answer, before its client has answered anything. */
export function stepOf(parts: readonly JsonObject[]): Step {
  return promptStep(wordsIn(parts), callsIn(parts));
}

function heardIn(parts: readonly JsonObject[]): readonly Message[] {
  const said: string[] = [];
  const results: Message[] = [];
  for (const part of parts) {
    const result = functionResultIn(part);
    if (result === undefined) said.push(partText(part));
    else results.push({ part: "result", id: result.id, tool: result.tool, ...result.outcome });
  }
  const text = joinTexts(said.filter((one) => one.trim() !== ""));
  return text === "" ? results : [...results, { part: "user", text }];
}
