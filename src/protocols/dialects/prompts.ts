import type { Call, Outcome, Step } from "../../step.ts";
import { joinTexts } from "../../text/text-span.ts";
import { jsonText } from "../json/json.ts";
import type { ParsedRequest } from "../protocol.ts";
import { markedForm, type PromptMarkers, promptForms } from "./prompt-forms.ts";

/** A history that is told in one message, which the agent writes anew at each step. */
export interface PromptHistory {
  /** The section that says what the run is for; all else in the prompt changes from step to step. */
  readonly task: string;
  readonly steps: readonly Step[];
  /** What stands in front of the task: the form, as other agents have it in their system text. */
  readonly instructions?: string;
  /** What it says of the answer's form, where that may be another text each time: it names no run. */
  readonly form?: string;
  /** Such prompts tell what came of steps, and hardly ever what they did. */
  readonly isUntold?: true;
  /** Of its steps it shows no more than the state that the newest has led to. */
  readonly showsState?: true;
}

/** One form of such prompts. */
export interface PromptForm extends Pick<PromptHistory, "isUntold" | "showsState"> {
  /** Where its parts stand; undefined for other texts. */
  readonly parts: (text: string) => PromptParts | undefined;
  /** How its history tells steps, in order; undefined where it tells them otherwise. */
  readonly entries: (parts: PromptParts, text: string) => readonly PromptEntry[] | undefined;
  /** What came of a step. @param results what the history tells of that */
  readonly outcome: (results: string | undefined, parts: PromptParts, isNewest: boolean) => Outcome | undefined;
}

export interface PromptParts extends Pick<PromptHistory, "task" | "instructions" | "form"> {
  readonly history: string;
  /** What is there now, to which the newest step has led; undefined where that is not shown. */
  readonly page?: string | undefined;
  /** It tells that something has gone wrong. */
  readonly hasFaults?: boolean;
}

/** A step as a history tells it. */
export interface PromptEntry {
  /** Where the agent counts its steps. */
  readonly number?: number | undefined;
  readonly words: string;
  /** Undefined where it is not told what was done. */
  readonly calls: readonly Call[] | undefined;
  readonly results?: string | undefined;
}

/** Undefined for a message that tells no history: a question, a task, a document. */
export function readPrompt(text: string, forms: readonly PromptForm[] = promptForms): PromptHistory | undefined {
  for (const form of forms) {
    const parts = form.parts(text);
    const entries = parts && form.entries(parts, text);
    if (parts === undefined || entries === undefined) continue;
    const { task, instructions, form: answerForm } = parts;
    const { isUntold, showsState } = form;
    return {
      task,
      steps: stepsOf(entries, parts, form),
      ...(instructions !== undefined && { instructions }),
      ...(answerForm !== undefined && { form: answerForm }),
      ...(isUntold && { isUntold }),
      ...(showsState && { showsState }),
    };
  }
  return undefined;
}

function stepsOf(entries: readonly PromptEntry[], parts: PromptParts, form: PromptForm): readonly Step[] {
  const ordinalOf = ordinals();
  return entries.map(({ number, words, calls, results }, index): Step => {
    const outcome = form.outcome(results, parts, index === entries.length - 1);
    const stepCalls = calls ?? [untoldCall(number ?? ordinalOf(`${words}\n${results}`), results)];
    const answered = outcome === undefined ? stepCalls : stepCalls.map((call) => ({ ...call, outcome }));
    return { calls: answered, text: words, heard: [], ...(calls === undefined && { isUntold: true }) };
  });
}

/** What was done in a step that is told without it. @param ordinal tells it from others that are told alike */
function untoldCall(ordinal: number, results = ""): Call {
  return { tool: "action", args: jsonText({ step: ordinal, ...(results !== "" && { told: results }) }) ?? "" };
}

/** Tells apart what is told in equal words; where a history is cut at its beginning, what is left keeps its number as a rule. */
function ordinals(): (words: string) => number {
  const byOrdinal = new Map<string, number>();
  return (words) => {
    const ordinal = byOrdinal.get(words) ?? 0;
    byOrdinal.set(words, ordinal + 1);
    return ordinal;
  };
}

/** The request with the steps that one of its messages tells in a form that an operator describes; as it is where none does. */
export function readMarked(request: ParsedRequest, rows: readonly PromptMarkers[]): ParsedRequest {
  const { conversation } = request;
  if (conversation.steps.length > 0 || conversation.isUntold === true) return request;
  const forms = rows.map(markedForm);
  for (const text of conversation.opening) {
    const history = readPrompt(text, forms);
    if (history === undefined) continue;
    const system = joinTexts([conversation.system, history.instructions ?? ""]);
    const read = { system, opening: [history.task], steps: history.steps, isPrompt: true } as const;
    return { ...request, hasTextActions: true, conversation: read };
  }
  return request;
}
