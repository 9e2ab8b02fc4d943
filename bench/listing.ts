import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startRedis } from "../test/support/servers/redis.ts";
import { startGuarded } from "./store-failures/guarded.ts";

/**
 * What listing sessions takes, after a guard has really seen `--sessions` of them, for each filter that the page has: the time
 * of the whole call, from one process to the other, and the resident memory of the guard. Reads /proc: Linux only.
 */
const { values } = parseArgs({
  options: { sessions: { type: "string", default: "10000" }, rounds: { type: "string", default: "11" } },
});
const count = Number(values.sessions);
const rounds = Number(values.rounds);

const AGENTS = ["Codex/0.169", "claude-cli/2.1", "OpenAI/Python 2.14", "langgraph/1.2"];
/** One in so many goes in circles. */
const LOOPING_EVERY = 200;
const CONCURRENT = 16;

const step = (id: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "search", arguments: '{"q":"weather"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "rain" },
];

async function seen(url: string, index: number): Promise<void> {
  const steps = index % LOOPING_EVERY === 0 ? 3 : 1;
  const messages = [
    { role: "user", content: `Task ${index}` },
    ...Array.from({ length: steps }, (_, i) => step(`call_${i}`)).flat(),
  ];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer sk-bench",
      "user-agent": AGENTS[index % AGENTS.length] ?? "",
      "x-unloop-session": `run-${index}`,
    },
    body: JSON.stringify({ model: "m", messages }),
  });
  await response.arrayBuffer();
}

async function fill(url: string): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await seen(url, next - 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  await new Promise((gathered) => setTimeout(gathered, 2_000));
}

const filters: readonly (readonly [name: string, query: string])[] = [
  ["none", ""],
  ["looping", "state=looping"],
  ["running", "state=running"],
  ["an agent", "agent=langgraph"],
  ["a rung", "rung=nudge"],
  ["part of a name, few", "q=run-99"],
  ["part of a name, none", "q=nowhere"],
  ["a policy, none", "policy=other"],
];

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

async function timed(url: string, query: string): Promise<string> {
  const taken: number[] = [];
  let listed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    const response = await fetch(`${url}/unloop/api/sessions?limit=200&${query}`);
    const { sessions } = JSON.parse(await response.text());
    taken.push(performance.now() - from);
    listed = sessions.length;
  }
  return `${median(taken).toFixed(0)} ms, ${Math.max(...taken).toFixed(0)} at most (${listed} listed)`;
}

const rssMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

const redis = await startRedis();
try {
  for (const [store, env] of [
    ["memory", { REDIS_URL: "" }],
    ["Redis", {}],
  ] as const) {
    const guard = await startGuarded(redis.port, { ...env });
    try {
      await fill(guard.url);
      console.log(`\n${count} sessions in ${store}: the guard is resident with ${rssMb(guard.pid).toFixed(0)} MB\n`);
      console.log("| filter | a page of up to 200 |\n| --- | --- |");
      for (const [name, query] of filters) console.log(`| ${name} | ${await timed(guard.url, query)} |`);
      console.log(`\nand with ${rssMb(guard.pid).toFixed(0)} MB after all`);
    } finally {
      await guard.stop();
    }
  }
} finally {
  await redis.stop();
}
