import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { closing, listening } from "../test/support/servers/http.ts";
import { startWorkerd } from "../test/support/servers/workerd.ts";

/**
 * What a guarded exchange of 16 KB costs in workerd, in CPU time of the whole process: the isolate, its objects with their
 * SQLite, and the sockets. An upper bound of what the platform counts for a Worker. Reads /proc: Linux only. Exits with 1
 * when a row without objects passes the free plan's limit.
 */
const { values } = parseArgs({ options: { exchanges: { type: "string", default: "600" } } });
const exchanges = Number(values.exchanges);

const LIMIT_MS = 10;
const TICKS_PER_SECOND = 100;
const REQUEST_BYTES = 16 * 1024;
const WARM_UP = 300;

interface Row {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stream: boolean;
  /** Whether the thread's record knows all of the history but its last turn, or nothing of it. */
  readonly known: boolean;
  readonly entry?: string;
}

const memory = { env: {}, entry: "bench/worker-cpu/memory-worker.ts" };
const rows: readonly Row[] = [
  { name: "passed through (mode off)", env: { UNLOOP_MODE: "off" }, stream: false, known: true },
  { name: "guarded: next turn of a run", ...memory, stream: false, known: true },
  { name: "guarded: next turn, streamed", ...memory, stream: true, known: true },
  { name: "guarded: whole history new", ...memory, stream: false, known: false },
  { name: "  next turn, with its objects", env: {}, stream: false, known: true },
  { name: "  next turn, streamed, with objects", env: {}, stream: true, known: true },
  { name: "  history new, with its objects", env: {}, stream: false, known: false },
];

const turn = (i: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `call_${i}`, type: "function", function: { name: "read", arguments: `{"path":"src/part-${i}.ts"}` } },
    ],
  },
  {
    role: "tool",
    tool_call_id: `call_${i}`,
    content: `Part ${i}. ${"Some words of a file that is being read. ".repeat(12)}`,
  },
];

/** The request of an agent whose history has reached 16 KB; `last` makes its last turn another each time. */
function requestBody(stream: boolean, last: number): string {
  const before: object[] = [{ role: "user", content: "Read all parts and tell me what they have in common." }];
  for (let i = 0; JSON.stringify(before).length < REQUEST_BYTES - 800; i += 1) before.push(...turn(i));
  return JSON.stringify({ model: "m", stream, messages: [...before, ...turn(1_000 + last)] });
}

const said = { role: "assistant", content: "I have read it. ".repeat(20) };
const json = JSON.stringify({
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: said, finish_reason: "stop" }],
});
const events = Array.from(
  { length: 40 },
  () => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "I have read it. " } }] })}\n\n`,
);

const model = createServer((incoming, response) => {
  let text = "";
  incoming.on("data", (bytes) => {
    text += bytes;
  });
  incoming.on("end", () => {
    if (!text.includes('"stream":true')) return response.setHeader("content-type", "application/json").end(json);
    response.setHeader("content-type", "text/event-stream");
    for (const event of events) response.write(event);
    return response.end("data: [DONE]\n\n");
  });
});

/** CPU of the workerd that this process has started: in all, and of that in the kernel. In milliseconds. */
function workerdCpu(): { all: number; kernel: number } {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readStat(pid))
    .filter(({ name, parent }) => name === "workerd" && parent === process.pid);
  const ms = (ticks: readonly number[]) => (ticks.reduce((sum, one) => sum + one, 0) * 1_000) / TICKS_PER_SECOND;
  return { all: ms(stats.map(({ ticks }) => ticks)), kernel: ms(stats.map(({ kernel }) => kernel)) };
}

function readStat(pid: string) {
  try {
    const [head = "", rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const fields = rest.split(" ");
    const kernel = Number(fields[12]);
    return { name: head.split("(")[1], parent: Number(fields[1]), ticks: Number(fields[11]) + kernel, kernel };
  } catch {
    // It ended while the others were being read.
    return { name: undefined, parent: 0, ticks: 0, kernel: 0 };
  }
}

async function measure(
  { name, env, stream, known, entry }: Row,
  upstream: string,
): Promise<{ ms: number; kernelMs: number }> {
  const workerd = await startWorkerd({ UNLOOP_UPSTREAM: upstream, UNLOOP_STORE_DEADLINE_MS: "5000", ...env }, entry);
  const ask = async (index: number) => {
    const headers = { "content-type": "application/json", "x-unloop-session": known ? "run" : `run-${index}` };
    const body = requestBody(stream, index);
    const response = await fetch(`${workerd.url}/v1/chat/completions`, { method: "POST", headers, body });
    await response.text();
    const verdict = response.headers.get("x-unloop-verdict");
    if (response.status !== 200 || verdict !== (env.UNLOOP_MODE === "off" ? null : "ok"))
      throw new Error(`${name}: ${response.status} ${verdict}`);
  };
  try {
    for (let i = 0; i < WARM_UP; i += 1) await ask(i);
    const before = workerdCpu();
    for (let i = WARM_UP; i < WARM_UP + exchanges; i += 1) await ask(i);
    const after = workerdCpu();
    return { ms: (after.all - before.all) / exchanges, kernelMs: (after.kernel - before.kernel) / exchanges };
  } finally {
    await workerd.stop();
  }
}

const upstream = await listening(model);
console.log(
  `CPU of workerd for each exchange of ${REQUEST_BYTES / 1024} KB, ${exchanges} in a row; the free plan's limit is ${LIMIT_MS} ms\n`,
);
for (const row of rows) {
  const { ms, kernelMs } = await measure(row, upstream);
  console.log(`${row.name.padEnd(36)} ${ms.toFixed(2).padStart(6)} ms, ${kernelMs.toFixed(2)} of it in the kernel`);
  if (!row.name.startsWith(" ") && ms > LIMIT_MS) process.exitCode = 1;
}
await closing(model);
