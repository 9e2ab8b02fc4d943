import type { GuardRig } from "../../proxy/guard-rig.ts";
import type { ScriptedAnswer } from "../wires/scripted-answer.ts";
import { postTo } from "./wire-agent.ts";
import { chatCompletionsWire } from "../wires/chat-completions.ts";

export interface TakenStep {
  readonly said: string;
  readonly query: string;
  readonly outcome: string;
  /** It was the run's end, with this answer, and the agent goes on all the same. */
  readonly answer?: string;
}

export type Understood = { readonly query: string } | { readonly answer: string } | undefined;

export interface DialectAgent {
  readonly name: string;
  readonly request?: object;
  messages(task: string, steps: readonly TakenStep[]): readonly ToldMessage[];
  call(query: string): ScriptedAnswer;
  final(text: string): ScriptedAnswer;
  understand(message: ChatMessage): Understood;
  /** Its history is one prompt, written anew at each step. */
  readonly isPrompt?: true;
  /** What came of a step is followed by a user message that only asks to go on. */
  readonly asksOn?: true;
  /** That tells only what came of its steps. */
  readonly isUntold?: true;
  /** What its harness says to an answer that is neither an action nor an end; without it, such an answer is an end to it. */
  readonly correction?: string;
}

export interface ToldMessage {
  readonly role: string;
  readonly content: string;
}

export interface ChatMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

export interface DialectRunOptions {
  readonly limit?: number;
  readonly past?: readonly TakenStep[];
  readonly stream?: boolean;
}

export const outcomeOf = (query: string): string => `Page of ${query}: rain in the morning, sun after noon.`;

export async function runDialect({ url }: Pick<GuardRig, "url">, agent: DialectAgent, options: DialectRunOptions = {}) {
  const { past = [], stream = false, limit = 12 } = options;
  const steps: TakenStep[] = [...past];
  const told: { verdict: string | null; steps: string | null }[] = [];
  let answer: string | undefined;
  const body = () => {
    const messages = agent.messages("What is the weather?", steps);
    return JSON.stringify({ model: "m", ...agent.request, ...(stream && { stream }), messages });
  };
  while (told.length < limit && answer === undefined) {
    const { heard, headers, status } = await postTo(chatCompletionsWire, url, body());
    told.push({ verdict: headers.get("x-unloop-verdict"), steps: headers.get("x-unloop-steps") });
    if (status !== 200) break;
    const tool_calls = heard.calls.map(({ tool, args }) => ({ function: { name: tool, arguments: args } }));
    const understood = agent.understand({ content: heard.text, tool_calls });
    if (understood !== undefined && "answer" in understood) answer = understood.answer;
    const query = understood !== undefined && "query" in understood ? understood.query : "";
    const came = understood === undefined ? (agent.correction ?? "") : outcomeOf(query);
    steps.push({ said: heard.text, query, outcome: came, ...(answer !== undefined && { answer }) });
  }
  return {
    verdicts: told.map(({ verdict }) => verdict),
    steps: told.map((one) => one.steps),
    /** Undefined where the agent found no end. */
    answer,
    next: body(),
  };
}
