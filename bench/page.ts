import { parseArgs } from "node:util";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { openBrowser } from "../test/support/servers/chromium.ts";
import { startGuard } from "../test/support/servers/guarded.ts";
import { withToken } from "../test/support/servers/staged.ts";
import { scriptedUpstream } from "../test/support/servers/upstream.ts";

/**
 * What an open page costs its reader's machine while the guard has much to tell: runs that loop, each of a name of its own, so
 * that each answer brings rows that were not there. One tab for `--minutes`, a row each, then `--tabs` of them at once.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    news: { type: "string", default: "50" },
    sessions: { type: "string", default: "3000" },
    tabs: { type: "string", default: "7" },
    view: { type: "string", default: "#live" },
  },
});
const [minutes, news, sessions, tabs] = [values.minutes, values.news, values.sessions, values.tabs].map(Number) as [
  number,
  number,
  number,
  number,
];

const step = (id: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "search", arguments: '{"q":"weather"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "rain" },
];

async function seen(url: string, index: number, steps: number): Promise<void> {
  const calls = Array.from({ length: steps }, (_, i) => step(`call_${i}`)).flat();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer sk-team-${index % 5}`,
      "user-agent": `agent-${index % 9}/1.0`,
      "x-unloop-session": `run-${index}`,
    },
    body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: `Task ${index}` }, ...calls] }),
  });
  await answer.arrayBuffer();
}

let made = 0;
async function fill(url: string): Promise<void> {
  const worker = async () => {
    while (made < sessions) {
      made += 1;
      await seen(url, made, made % 20 === 0 ? 3 : 1);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** What a tab asks for, and what it gets over the wire. */
interface Wire {
  requests: number;
  bytes: number;
  streams: number;
}

async function watched(page: Page, wire: Wire): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.requestWillBeSent", ({ request }) => {
    wire.requests += 1;
    if (request.url.endsWith("/journal/stream")) wire.streams += 1;
  });
  // A stream is never finished: its bytes are told as they come.
  const streams = new Set<string>();
  session.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (type === "Fetch" && response.url.endsWith("/journal/stream")) streams.add(requestId);
  });
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    if (streams.has(requestId)) wire.bytes += dataLength;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!streams.has(requestId)) wire.bytes += encodedDataLength;
  });
  await session.send("Performance.enable");
  return session;
}

async function metricsOf(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Time on the cores of all the browser's processes, in seconds. */
async function browserCpu(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

const KB = 1_024;

/** Costs of a time, as a row. */
async function rowOver(title: string, ms: number, session: CDPSession, whole: CDPSession, wire: Wire): Promise<string> {
  const before = { ...wire, at: performance.now(), cpu: await browserCpu(whole), metrics: await metricsOf(session) };
  await new Promise((over) => setTimeout(over, ms));
  const seconds = (performance.now() - before.at) / 1_000;
  const [cpu, after] = [await browserCpu(whole), await metricsOf(session)];
  const perSecond = [wire.requests - before.requests, (wire.bytes - before.bytes) / KB].map((one) => one / seconds);
  const main = ((after.TaskDuration ?? 0) - (before.metrics.TaskDuration ?? 0)) / seconds;
  await session.send("HeapProfiler.collectGarbage");
  const { JSHeapUsedSize = 0, Nodes = 0, JSEventListeners = 0 } = await metricsOf(session);
  const figures = [
    `${(JSHeapUsedSize / KB / KB).toFixed(2)} MB`,
    Nodes,
    JSEventListeners,
    `${(100 * main).toFixed(1)} %`,
    `${((100 * (cpu - before.cpu)) / seconds).toFixed(1)} %`,
    ...perSecond.map((one) => one.toFixed(2)),
  ];
  return `| ${[title, ...figures].join(" | ")} |`;
}

const COLUMNS = ["minute", "heap", "nodes", "listeners", "main thread", "browser", "requests/s", "KB/s"];

/** Opens the page, watched from its first request on. */
async function opened(context: BrowserContext, url: string, wire: Wire) {
  const page = await context.newPage();
  const session = await watched(page, wire);
  await withToken(page, url);
  await page.goto(`${url}/unloop/${values.view}`);
  await page.getByText("Live", { exact: true }).waitFor();
  return { page, session };
}

const upstream = await scriptedUpstream(() => ({ kind: "text", text: "It rains." }));
const guard = await startGuard({ upstream: upstream.url });
const browser = await openBrowser();
try {
  await fill(guard.url);
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const whole = await browser.newBrowserCDPSession();
  const wire: Wire = { requests: 0, bytes: 0, streams: 0 };
  const { session } = await opened(context, guard.url, wire);
  const timer = setInterval(() => void seen(guard.url, ++made, 3).catch(() => undefined), 1_000 / news);
  console.log(`${sessions} sessions, then ${news} news a second; one tab shows ${values.view}\n`);
  console.log(`| ${COLUMNS.join(" | ")} |\n|${" --- |".repeat(COLUMNS.length)}`);
  try {
    for (let minute = 1; minute <= minutes; minute += 1)
      console.log(await rowOver(String(minute), 60_000, session, whole, wire));
    for (let tab = 1; tab < tabs; tab += 1) await opened(context, guard.url, wire);
    console.log(
      `${await rowOver(`${tabs} tabs`, 30_000, session, whole, wire)}\n\n${tabs} tabs had ${wire.streams} stream`,
    );
  } finally {
    clearInterval(timer);
  }
} finally {
  await browser.close();
  await guard.close();
  await upstream.close();
}
