// Makes the pictures of docs/page.md: a real guard before a scripted model, seen through Chromium. `npm run pictures`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { play } from "../src/cli/replay.ts";
import { reportedConversation } from "../src/cli/reported.ts";
import { readPageFile } from "../src/page/files.ts";
import { reportParts } from "../src/page/page.ts";
import { policyNamed } from "../src/policy/policy.ts";
import { openBrowser } from "../test/support/servers/chromium.ts";
import { startGuard } from "../test/support/servers/guarded.ts";
import { scriptedUpstream } from "../test/support/servers/upstream.ts";

type Turn = readonly [tool: string, args: object, result: string];

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();

/** Reads, an edit, then the same failing test and the same file, round and round. */
const fixing: readonly Turn[] = [
  ["read_file", { path: "loader.ts" }, "export const load = () => 1;"],
  ["search", { query: "load(" }, "3 matches in main.ts"],
  ["read_file", { path: "main.ts" }, "import { load } from './loader.ts';"],
  ["edit_file", { path: "main.ts", text: "load(2)" }, "written"],
  ...Array.from({ length: 4 }, () => [
    ["run_tests", { only: "loader" }, "Error: expected 1 to be 2"] as const,
    ["read_file", { path: "loader.ts" }, "export const load = () => 1;"] as const,
  ]).flat(),
];

const WORDS =
  "amber basin cedar delta ember fjord grove harbor inlet jasper kelp lagoon meadow nectar orchard pebble quarry ridge slate timber umber valley willow yarrow zephyr".split(
    " ",
  );
/** Of words that no other page has in this order. */
const pageText = (i: number) =>
  Array.from({ length: 14 }, (_, k) => WORDS[(i * 7 + k * (i + 3) + k * k) % WORDS.length]).join(" ");
const reading = (subject: string, count: number): readonly Turn[] =>
  Array.from({ length: count }, (_, i) => ["fetch_page", { url: `/${subject}/${i}` }, `${subject}: ${pageText(i)}.`]);
const stuck = (count: number): readonly Turn[] =>
  Array.from({ length: count }, () => ["send_message", { to: "Ana", text: "On its way." }, "queued"]);

const messagesOf = (task: string, turns: readonly Turn[]) => [
  { role: "user", content: task },
  ...turns.flatMap(([name, args, result], i) => [
    {
      role: "assistant",
      tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: result },
  ]),
];

/** A guard that has watched these runs to their ends. */
async function watched(runs: readonly { session: string; agent: string; task: string; turns: readonly Turn[] }[]) {
  const upstream = await scriptedUpstream(() => ({ kind: "calls", calls: [{ tool: "think", args: "{}" }] }));
  const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_MODE: "observe" } });
  for (const { session, agent, task, turns } of runs)
    for (let count = 0; count <= turns.length; count++)
      await fetch(`${guard.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-unloop-session": session, "user-agent": agent },
        body: JSON.stringify({ model: "gpt-5", messages: messagesOf(task, turns.slice(0, count)) }),
      });
  return {
    page: `${guard.url}/unloop/`,
    close: async () => {
      await guard.close();
      await upstream.close();
    },
  };
}

interface Picture {
  readonly name: string;
  readonly url: string;
  readonly waitFor: string;
  readonly height?: number;
  /** What a person does before it is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Takes a picture in the light and one in the dark. */
async function picture({ name, url, waitFor, height = 620, act }: Picture) {
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 1180, height };
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByText(waitFor).first().waitFor();
    await act?.(page);
    await page.screenshot({ path: join(folder, `${name}${colorScheme === "dark" ? "-dark" : ""}.png`) });
    await context.close();
  }
}

const busy = await watched([
  { session: "nightly-docs", agent: "codex/1.4", task: "Renew the docs.", turns: reading("docs", 9) },
  { session: "research", agent: "claude-cli/2.1", task: "Find three sources.", turns: reading("papers", 7) },
  { session: "research", agent: "claude-cli/2.1", task: "Sub-task: prices.", turns: reading("prices", 5) },
  { session: "research", agent: "claude-cli/2.1", task: "Sub-task: tell Ana.", turns: stuck(6) },
  { session: "refund-4711", agent: "support/0.9", task: "Tell Ana.", turns: stuck(4) },
  { session: "fix-loader", agent: "claude-cli/2.1", task: "Make the tests pass.", turns: fixing },
]);
try {
  const { sessions } = (await (await fetch(`${busy.page}api/sessions`)).json()) as {
    sessions: { id: string; name: string }[];
  };
  const sessionOf = (name: string) =>
    `${busy.page}#session?id=${sessions.find((session) => session.name === name)?.id ?? ""}`;
  await picture({ name: "live", url: busy.page, waitFor: "fix-loader", height: 420 });
  await picture({ name: "session", url: sessionOf("fix-loader"), waitFor: "same results" });
  await picture({ name: "sub-agents", url: sessionOf("research"), waitFor: "Thread 3", height: 850 });
  await picture({ name: "rules", url: `${busy.page}#rules`, waitFor: "What each rule did", height: 480 });
  await picture({ name: "cost", url: `${busy.page}#cost`, waitFor: "What was saved", height: 620 });
  await picture({
    name: "what-if",
    url: `${busy.page}#what-if`,
    waitFor: "A policy of your own",
    height: 480,
    act: async (page) => {
      await page.locator("select[name=policy]").selectOption("web-actions");
      await page.getByRole("button", { name: "Try" }).click();
      await page.getByText("would have gone differently").waitFor();
    },
  });
} finally {
  await busy.close();
}

const empty = await watched([]);
try {
  await picture({ name: "empty", url: empty.page, waitFor: "No session yet.", height: 300 });
} finally {
  await empty.close();
}

const temporary = mkdtempSync(join(tmpdir(), "unloop-pictures-"));
try {
  const policy = policyNamed("default");
  const turns = [
    ...reading("site", 180),
    ...fixing,
    ...reading("shop", 212),
    ...Array(12).fill(fixing.slice(4)).flat(),
  ];
  const played = play("a long run", { messages: messagesOf("Go through the shop.", turns) }, policy);
  if (played === undefined) throw new Error("The long run cannot be read.");
  const { begin, piece, end } = await reportParts(readPageFile, "a long run");
  const file = join(temporary, "report.html");
  writeFileSync(file, begin + piece(reportedConversation(played, policy)) + end);
  await picture({ name: "500-steps", url: pathToFileURL(file).href, waitFor: "same results", height: 560 });
} finally {
  rmSync(temporary, { recursive: true });
  await browser.close();
}
