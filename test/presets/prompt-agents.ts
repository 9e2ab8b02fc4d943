import { postTo } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { GuardRig } from "../proxy/guard-rig.ts";

type Rig = Pick<GuardRig, "url" | "upstream">;

/** Agents that keep no chat history: each step is one prompt, written anew. Their words are of our own making. */

export async function asked({ url, upstream }: Rig, body: object, headers?: Readonly<Record<string, string>>) {
  const before = upstream.requests.length;
  const given = await postTo(chatCompletionsWire, url, JSON.stringify({ model: "m", ...body }), headers);
  const received = upstream.requests.slice(before).map(({ bytes }) => bytes.toString());
  return { headers: given.headers, content: given.heard.text || (given.heard.calls[0]?.args ?? ""), received };
}

// --- A web agent: page, what was said so far, and the user's command under headings. ---

export interface WebAction {
  readonly action: string;
  readonly target: string;
  readonly value?: string;
}

const webInstructions = `あなたはブラウザを操作するエージェントです。
    ** 観察してから行動すること **
"## これまでの会話履歴" を確認してください。
説明の後に \`\`\`json フェンスで次の形を出力します。
{ "actions": [ { "action": "click", "target": "css=#id" } ], "complete": true | false }`;

export function webAnswer(content: string): { explanation: string; actions: readonly WebAction[]; complete: boolean } {
  const [explanation = ""] = content.split("```json");
  const json = /\{[\s\S]*\}/.exec(content)?.[0];
  const { actions = [], complete = true } = json === undefined ? {} : JSON.parse(json);
  return { explanation: explanation.trim(), actions, complete };
}

export function webPlan(explanation: string, ...actions: readonly WebAction[]): string {
  return `${explanation}\n\`\`\`json\n${JSON.stringify({ actions, complete: false }, null, 2)}\n\`\`\``;
}

/** @param told what was said so far, to which it adds */
export async function webAgent(rig: Rig, page: string, told: { command: string; explanation: string }[] = []) {
  const command = "箱根のホテルを探して";
  const turns = [];
  for (let step = 0; step < 6; step++) {
    const history = told.map((turn) => `U:${turn.command}\nA:${turn.explanation}`).join("\n");
    const text = [
      `${webInstructions}\n--------------------------------\n---- 現在のページのDOMツリー ----\n${page}`,
      `## これまでの会話履歴\n${history}`,
      `## ユーザー命令\n${command}`,
      `## 現在のブラウザの状況の画像\n\n## 現在のエラー状況\n`,
    ].join("\n--------------------------------\n");
    const turn = await asked(rig, { messages: [{ role: "user", content: [{ type: "text", text }] }] });
    turns.push(turn);
    const { explanation, complete } = webAnswer(turn.content);
    told.push({ command, explanation });
    if (complete) break;
  }
  return turns;
}

/** Of an agent that is asked for the actions of one step, and shows a goal and a state alone. */
export const executorPrompt = `You carry out one step of a plan.

Recent actions executed:
1. Switch-Tool - bring the window to the front

Current UI state:
\`\`\`
Window: main
List: empty
\`\`\`

High-level action to interpret:
Tool: Click-Tool
Arguments: {
  "loc": ["Mode"]
}
Reasoning: Open the batch view

Your task: give two actions, the second one a look.

Respond with JSON:
{
  "feasibility": "reachable" | "unreachable",
  "goal_condition": "what can be seen once it is reached",
  "concrete_actions": [
    { "tool_name": "Click-Tool", "tool_arguments": {"loc": [x, y]}, "reasoning": "why" }
  ],
  "explanation": "why this helps"
}`;

export function executorPlan(tool_name: string, tool_arguments: object): string {
  const look = { tool_name: "State-Tool", tool_arguments: { use_vision: false }, reasoning: "See." };
  const concrete_actions = [{ tool_name, tool_arguments, reasoning: "Go on." }, look];
  return JSON.stringify({ feasibility: "unreachable", concrete_actions, explanation: "One step nearer." });
}
