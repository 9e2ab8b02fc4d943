// Makes the pictures of docs/page.md: a real guard before a scripted model, seen through Chromium. `npm run pictures`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { play, reportedConversation } from "../src/cli/replay.ts";
import { readPageFile } from "../src/page/files.ts";
import { reportParts } from "../src/page/page.ts";
import { policyNamed } from "../src/policy/policy.ts";
import { openBrowser } from "../test/support/servers/chromium.ts";
import { staged, type Turn, withToken } from "../test/support/servers/staged.ts";

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();

const WORDS =
  "amber basin cedar delta ember fjord grove harbor inlet jasper kelp lagoon meadow nectar orchard pebble quarry ridge slate timber umber valley willow yarrow zephyr".split(
    " ",
  );
/** Of words that no other page has. */
const pageText = (i: number) =>
  Array.from(
    { length: 14 },
    (_, k) => `${WORDS[(i + k) % WORDS.length]}${WORDS[(i * 7 + k * k) % WORDS.length]}${i}`,
  ).join(" ");
const reading = (subject: string, count: number): readonly Turn[] =>
  Array.from({ length: count }, (_, i) => ["fetch_page", { url: `/${subject}/${i}` }, `${subject}: ${pageText(i)}.`]);
const again = (count: number, ...turns: readonly Turn[]): readonly Turn[] => Array(count).fill(turns).flat();

const lap: readonly Turn[] = [
  ["run_tests", { only: "loader" }, "Error: expected 1 to be 2"],
  ["read_file", { path: "loader.ts" }, "export const load = () => 1;"],
];
/** Work, then the same failing test and the same file, round and round. */
const fixing: readonly Turn[] = [
  ["list_files", { path: "src" }, "loader.ts main.ts cache.ts"],
  ["search", { query: "load(" }, "3 matches in main.ts"],
  ["read_file", { path: "main.ts" }, "import { load } from './loader.ts';"],
  ["read_file", { path: "cache.ts" }, "export const cache = new Map<string, number>();"],
  ["run_tests", { only: "main" }, "12 passed"],
  ["search", { query: "cache.get" }, "1 match in loader.ts"],
  ["read_file", { path: "tests/loader.ts" }, "expect(load()).toBe(2);"],
  ["git_log", { path: "loader.ts" }, "a41c2: cache the loader"],
  ["read_file", { path: "package.json" }, '{ "name": "loader" }'],
  ["edit_file", { path: "main.ts", text: "load(2)" }, "written"],
  ["run_tests", { only: "cache" }, "4 passed"],
  ["edit_file", { path: "cache.ts", text: "cache.clear()" }, "written"],
  ...again(8, ...lap),
];
const telling: Turn = ["send_message", { to: "Ana", text: "On its way." }, "queued"];
const looking: Turn = ["search_catalog", { query: "blue lamp" }, "No result for blue lamp."];

interface Picture {
  readonly name: string;
  readonly url: string;
  readonly waitFor: string;
  readonly height?: number;
  readonly width?: number;
  /** What a person does before it is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Takes a picture in the light and one in the dark. */
async function picture({ name, url, waitFor, height = 620, width = 1_240, act }: Picture) {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await withToken(page, url);
    await page.goto(url);
    await page.getByText(waitFor).first().waitFor();
    await act?.(page);
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(folder, `${name}${colorScheme === "dark" ? "-dark" : ""}.png`) });
    await context.close();
  }
}

const stage = await staged({}, `You are an agent. ${pageText(3)}. `.repeat(150));
try {
  const research = { session: "research", agent: "claude-cli/2.1", model: "claude-sonnet-4-5" };
  const support = { agent: "support/0.9", model: "gpt-5-mini", key: "sk-support" };
  await stage.play({ session: "nightly-docs", agent: "codex/1.4", task: "Renew the docs.", turns: reading("docs", 9) });
  await stage.play({ session: "invoices", agent: "codex/1.4", task: "Sort.", turns: reading("invoices", 30) }, 14);
  await stage.play({ session: "refund-4711", ...support, task: "Tell Ana.", turns: again(9, telling) });
  await stage.play({ session: "catalog", ...support, task: "Find it.", turns: again(9, looking), heeds: true });
  await stage.play({
    session: "report",
    ...support,
    task: "Report.",
    turns: [],
    rambles: "The table again. ".repeat(99),
  });
  await stage.play({ ...research, task: "Find three sources.", turns: reading("papers", 20) }, 7);
  await stage.play({ ...research, task: "Sub-task: prices.", turns: reading("prices", 20) }, 5);
  await stage.play({ ...research, task: "Sub-task: the lamp.", turns: again(9, looking) }, 4);
  const fix = { agent: "claude-cli/2.1", model: "claude-opus-4-5", task: "Make the tests pass." };
  await stage.play({ session: "fix-loader", ...fix, turns: fixing });
  const { sessions } = (await (await fetch(`${stage.page}api/sessions`)).json()) as {
    sessions: { id: string; name: string }[];
  };
  const sessionOf = (name: string) =>
    `${stage.page}#session?id=${sessions.find((session) => session.name === name)?.id ?? ""}`;
  await picture({ name: "live", url: stage.page, waitFor: "fix-loader", height: 800 });
  await picture({ name: "session", url: sessionOf("fix-loader"), waitFor: "same results", height: 860 });
  await picture({ name: "sub-agents", url: sessionOf("research"), waitFor: "Thread 3", height: 900 });
  await picture({ name: "phone", url: stage.page, waitFor: "fix-loader", width: 390, height: 844 });
  await picture({ name: "totals", url: `${stage.page}#totals`, waitFor: "Where loops are", height: 760 });
  await picture({
    name: "what-if",
    url: `${stage.page}#what-if`,
    waitFor: "Its limits",
    height: 900,
    act: async (page) => {
      await page.getByLabel("repeated-call: Warn", { exact: true }).fill("2");
      await page.getByRole("button", { name: "Try" }).click();
      await page.getByText("would have gone differently").waitFor();
    },
  });
} finally {
  await stage.close();
}

const empty = await staged();
try {
  await picture({ name: "empty", url: empty.page, waitFor: "No run yet", height: 620 });
} finally {
  await empty.close();
}

const temporary = mkdtempSync(join(tmpdir(), "unloop-pictures-"));
try {
  const policy = policyNamed("default");
  const turns = [...reading("site", 180), ...fixing, ...reading("shop", 212), ...again(46, ...lap)];
  const messages = [
    { role: "user", content: "Go through the shop." },
    ...turns.flatMap(([name, args, result], i) => [
      {
        role: "assistant",
        tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
      { role: "tool", tool_call_id: `c${i}`, content: result },
    ]),
  ];
  const played = play("a long run", { messages }, policy);
  if (played === undefined) throw new Error("The long run cannot be read.");
  const { begin, piece, end } = await reportParts(readPageFile, "a long run");
  const file = join(temporary, "report.html");
  writeFileSync(file, begin + piece(reportedConversation(played, policy)) + end);
  await picture({ name: "500-steps", url: pathToFileURL(file).href, waitFor: "same results", height: 720 });
} finally {
  rmSync(temporary, { recursive: true });
  await browser.close();
}
