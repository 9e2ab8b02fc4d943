/** What became of one task. */
export interface TaskResult {
  /** Undefined where the agent ran into its limit of steps. */
  readonly answer: string | undefined;
  readonly verdicts: readonly string[];
  readonly tokens: number;
}

export const tasks: readonly string[] = [
  "What is the capital of Italy?",
  "How high is Mont Blanc in metres?",
  "Who wrote Hamlet?",
  "How long is the Danube?",
  "What is the population of Rome plus that of Vienna?",
  "What is the oldest bridge in Prague?",
  "When was the printing press invented?",
  "How far is the Sun?",
  "What is 19 times 21?",
  "Which is longer, the Rhine or the Danube?",
  "Who is the mayor of Riverside?",
  "What is the melting point of gold?",
  "How many legs has a crab?",
  "In what year did the Hundred Years War end?",
  "What is the currency of Sweden?",
  "Find the opening hours of the city museum.",
];

const INSTRUCTIONS = `Answer the question with the tools. Use exactly this form:
Thought: what to do
Action: lookup
Action Input: the words to look up
Then wait for the Observation. When you know the answer write:
Final Answer: the answer

Tools: lookup (finds a page by its title), calculate (computes an expression)`;

const pages: Readonly<Record<string, string>> = {
  rome: "Rome is the capital of Italy. Population 2.8 million.",
  italy: "Italy is a country in Europe. Its capital is Rome.",
  danube: "The Danube is 2850 km long.",
  vienna: "Vienna is the capital of Austria. Population 2 million.",
};

const LIMIT = 15;

/** A text agent with two tools and a strict parser: it takes nothing for an end but `Final Answer:`. */
export async function runTask(base: string, task: string): Promise<TaskResult> {
  const messages = [
    { role: "system", content: INSTRUCTIONS },
    { role: "user", content: `Question: ${task}` },
  ];
  const verdicts: string[] = [];
  let tokens = 0;
  for (let step = 0; step < LIMIT; step++) {
    const response = await fetch(`${base}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-bench" },
      body: JSON.stringify({ model: "m", max_tokens: 90, temperature: 0, stop: ["Observation:"], messages }),
    });
    const { choices, usage } = (await response.json()) as Completion;
    const said = choices[0]?.message.content ?? "";
    tokens += usage?.total_tokens ?? 0;
    verdicts.push(response.headers.get("x-unloop-verdict") ?? "-");
    const answer = /Final Answer:([\s\S]*)/.exec(said)?.[1]?.trim();
    if (answer !== undefined) return { answer, verdicts, tokens };
    messages.push({ role: "assistant", content: said }, { role: "user", content: `Observation: ${observed(said)}` });
  }
  return { answer: undefined, verdicts, tokens };
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string | null } }[];
  readonly usage?: { readonly total_tokens: number };
}

function observed(said: string): string {
  const action = /Action:\s*(\w+)/.exec(said)?.[1];
  const input = (/Action Input:\s*(.+)/.exec(said)?.[1] ?? "").toLowerCase();
  if (action === undefined) return "Invalid format: write Action: and Action Input:, or Final Answer:.";
  if (action === "calculate") return product(input);
  const page = Object.keys(pages).find((title) => input.includes(title));
  return page === undefined ? `No page found for "${input.slice(0, 60)}".` : (pages[page] ?? "");
}

function product(input: string): string {
  const [, one, other] = /^\s*(\d+)\s*\*\s*(\d+)\s*$/.exec(input) ?? [];
  return one === undefined ? "Cannot compute." : String(Number(one) * Number(other));
}
