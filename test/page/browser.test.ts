import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readPageFile } from "../../src/page/files.ts";
import { pageFiles, reportParts } from "../../src/page/page.ts";
import { play, reportedConversation } from "../../src/cli/replay.ts";
import { policyNamed } from "../../src/policy/policy.ts";
import { called, repeated } from "../support/builders/chat-history.ts";
import { openBrowser } from "../support/servers/chromium.ts";
import { newFolder } from "../support/servers/of-test.ts";
import { type Stage, staged, type Turn, withToken } from "../support/servers/staged.ts";

const browser = await openBrowser().catch((error: Error) => {
  // A machine of CI has to have one; elsewhere the rest of the suite is worth more than none of it.
  if (process.env.CI !== undefined) throw error;
  console.warn(`Left out: tests of the page in a browser. ${error.message}`);
  return undefined;
});
const looked = browser === undefined ? undefined : await staged();
afterAll(async () => {
  await browser?.close();
  await looked?.close();
});

/** A browser beside a busy suite is slow. */
vi.setConfig({ testTimeout: 90_000 });

const hostile = `"><img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>\${globalThis.ran=1}`;

/** A page that fails the test when its scripts fail or its policy is broken, and what it has run of others' scripts. */
async function open(url: string, options: BrowserContextOptions = {}) {
  if (browser === undefined) throw new Error("There is no browser.");
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.setDefaultTimeout(20_000);
  await withToken(page, url);
  await page.goto(url);
  return { page, problems, ran: () => page.evaluate("globalThis.ran") };
}

async function serious(page: Page, rules?: string[]) {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const policy = policyNamed("default");

function onDisk(text: string): string {
  const path = join(newFolder(), "page.html");
  writeFileSync(path, text);
  return pathToFileURL(path).href;
}

async function report(...conversations: readonly { readonly id: string; readonly messages: readonly object[] }[]) {
  const { begin, piece, end } = await reportParts(readPageFile, conversations[0]?.id ?? "");
  const pieces = conversations.flatMap(({ id, messages }) => {
    const played = play(id, { messages }, policy);
    return played === undefined ? [] : [piece(reportedConversation(played, policy))];
  });
  return onDisk(begin + pieces.join("") + end);
}

const calling = (count: number, toolFor: (i: number) => string) =>
  repeated(count, (i) => called(`c${i}`, toolFor(i), {}, "it rains"));

describe("the page's files", () => {
  it("are at most 42 KB in all, compressed", () => {
    const sizes = ["index.html", ...pageFiles().map(([name]) => name)].map(
      (name) => gzipSync(readPageFile(name)).byteLength,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(42 * 1_024);
  });
});

const search: Turn = ["search", { q: "Paris" }, "it rains"];
const loop = Array<Turn>(20).fill(search);
const work = (count: number): Turn[] =>
  Array.from({ length: count }, (_, i) => ["read", { page: i }, `${"abcdefghij"[i % 10]} is on page ${i * 7}`]);
const rambles = "Let me have another look at the table. ".repeat(60);

async function stagedFor(env: Readonly<Record<string, string>> = {}) {
  const stage = await staged(env);
  onTestFinished(stage.close);
  return stage;
}

async function busy(env: Readonly<Record<string, string>> = {}) {
  return played(await stagedFor(env));
}

async function played(stage: Stage): Promise<Stage> {
  await stage.play({ session: "steady", agent: "codex/1", task: "Read.", turns: work(20) }, 4);
  await stage.play({ session: "looper", task: "Look it up.", model: "gpt-5-mini", turns: loop }, 4);
  await stage.play({ session: "looper", task: "A part of it.", turns: work(20) }, 3);
  await stage.play({ session: "heeded", task: "Look.", turns: loop, heeds: true });
  await stage.play({ session: "rambler", task: "Report.", turns: [], rambles });
  await stage.play({ session: "stopped", task: "Search.", turns: [...work(8), ...loop] });
  return stage;
}

if (looked !== undefined) await played(looked);
const shared = (): Stage => {
  if (looked === undefined) throw new Error("There is no browser.");
  return looked;
};

const rowOf = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

describe.skipIf(browser === undefined)("the live page", () => {
  it("is accessible in each view and state, in light and dark, and on a phone", async () => {
    const { page: url } = shared();
    for (const [colorScheme, width] of [
      ["light", 1_280],
      ["dark", 1_280],
      ["light", 390],
    ] as const) {
      const { page, problems } = await open(url, { colorScheme, viewport: { width, height: 800 } });
      const check = async (state: string) => {
        const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
        if (width > 390 || state === "the list" || state === "a session")
          expect(await serious(page, rules), `${state}, ${colorScheme}, ${width}`).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), state).toBe(0);
      };
      await rowOf(page, "stopped").getByText("ended by Unloop").waitFor();
      await check("the list");
      await page.getByRole("link", { name: "stopped", exact: true }).click();
      await page.getByText("kept from the agent").first().waitFor();
      await page.getByText("Raise the limit").click();
      await check("a session");
      await page.getByRole("button", { name: /^Stop run/ }).click();
      await check("the dialog");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("link", { name: "Totals" }).click();
      await page.getByRole("heading", { name: "Where loops are" }).waitFor();
      await check("the totals");
      await page.getByRole("link", { name: "What if" }).click();
      await page.getByRole("button", { name: "Try" }).click();
      await page.getByText("would have gone differently").waitFor();
      await check("what if");
      await page.goto(`${url}#live?q=nobody`);
      await page.getByText("No run is like that").waitFor();
      await check("nothing");
      expect(problems).toEqual([]);
    }
  });

  it("says what to paste where there is no run, and what became of one that is gone", async () => {
    const stage = await stagedFor();
    const { page } = await open(stage.page);
    await page.getByText("No run yet").waitFor();
    await page.getByText(`export ANTHROPIC_BASE_URL=${stage.url}`).waitFor();
    expect(await serious(page)).toEqual([]);
    await page.goto(`${stage.page}#session?id=none`);
    await page.getByText("This run is not known any more").waitFor();
    await page.getByRole("link", { name: "← Runs" }).click();
    await page.getByText("No run yet").waitFor();
  });

  it("puts the loops on top, with their state and why, and shows news by itself", async () => {
    const stage = await busy();
    const { page, problems } = await open(stage.page);
    await rowOf(page, "looper").getByText("looping now").waitFor();
    await rowOf(page, "looper").getByText("search: the same call with the same outcome, 3 times").waitFor();
    const states = await page.locator(".runs tbody .state").allTextContents();
    expect(states[0]).toBe("looping now");
    expect(states.slice(1, 3).sort()).toEqual(["cut off", "ended by Unloop"]);
    expect(states.slice(3).sort()).toEqual(["done", "running"]);
    expect(await page.title()).toBe("(1) looping · Unloop");
    expect(await rowOf(page, "looper").getByRole("progressbar").count()).toBe(1);
    expect(await rowOf(page, "stopped").getByRole("progressbar").count()).toBe(0);
    await stage.play({ session: "newcomer", task: "Go.", turns: work(9) }, 1);
    await rowOf(page, "newcomer").waitFor();
    expect(problems).toEqual([]);
  });

  it("says in observe mode what would have been done, and nowhere that it was", async () => {
    const { page: url } = await busy({ UNLOOP_MODE: "observe" });
    const { page, problems } = await open(url);
    await rowOf(page, "stopped").getByText("done").waitFor();
    await rowOf(page, "looper").getByText("looping now").waitFor();
    await rowOf(page, "looper").getByText("1 × would have nudged").waitFor();
    await page.getByText("more would have been").waitFor();
    await page.getByRole("link", { name: "stopped", exact: true }).click();
    await page.getByText(/\d+ × would have ended/).waitFor();
    expect(await page.locator("main").innerText()).not.toMatch(/(^|[×▲■⬣✂] )(nudged|forced|ended|cut off)\b/m);
    await page.getByText(/^one short of "would have forced an end" \(4 of 5\)/).waitFor();
    expect(problems).toEqual([]);
  });

  it("gives other tabs its token, and asks again once it is refused", async () => {
    const token = "an admin's token of 30 letters";
    const stage = await stagedFor({ UNLOOP_ADMIN_TOKEN: token });
    const { page } = await open(stage.page);
    await page.getByLabel("Token").fill("another one");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("There is no such admin token.").waitFor();
    expect(await serious(page)).toEqual([]);
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("No run yet").waitFor();
    const other = await page.context().newPage();
    await other.goto(stage.page);
    await other.getByText("No run yet").waitFor();
    expect(await other.getByLabel("Token").count()).toBe(0);
  });

  it("says that nothing it shows is new while the guard does not answer", async () => {
    const { page } = await open(shared().page);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.route("**/unloop/api/**", (route) => route.abort());
    await page.getByText("No answer", { exact: true }).waitFor();
    await page.getByText(/The guard does not answer; this page tries on. What is shown is from/).waitFor();
    await page.unroute("**/unloop/api/**");
    await page.getByText("Live", { exact: true }).waitFor();
  });

  it("answers an operator's tasks in two clicks at the most, and takes an act back", async () => {
    const { page: url } = await busy();
    const { page, problems } = await open(url);
    let clicks = 0;
    const click = async (what: Locator) => {
      clicks += 1;
      await what.click();
    };
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    const button = (name: string | RegExp) => page.getByRole("button", { name }).first();
    const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
      "which runs loop right now?": () => page.locator("tr.looping .name", { hasText: "looper" }).waitFor(),
      "why was this one ended?": async () => {
        await click(link("stopped"));
        await page.getByText("Told to finish at 5; it called again, so Unloop answered in its place.").waitFor();
        await page.locator("code b", { hasText: '"force-done": 5' }).waitFor();
      },
      "was it right, what did the agent see?": async () => {
        await click(link("stopped"));
        await page.getByText("kept from the agent").first().waitFor();
      },
      "what was spent today?": () => page.getByText("Spent inside loops").waitFor(),
      "which agent or team loops most?": async () => {
        await click(link("Totals"));
        await page.getByRole("row", { name: /^agent/ }).waitFor();
      },
      "end a runaway now": async () => {
        await click(button("Stop run: looper"));
        await click(page.getByRole("dialog").getByRole("button", { name: "Stop run" }));
        await page.getByText("Stopped: looper").waitFor();
      },
      "a stricter policy on what has been": async () => {
        await click(link("What if"));
        await page.getByLabel("repeated-call: Warn", { exact: true }).fill("2");
        await click(button("Try"));
        await page.getByText(/[1-9] of \d+ threads would have gone differently/).waitFor();
      },
      "show a colleague": async () => {
        await click(link("stopped"));
        await click(page.getByRole("button", { name: "Show step 9" }));
        await vi.waitFor(() => expect(page.url()).toContain("step=9"));
      },
      "raise a tool's limit": async () => {
        await click(link("stopped"));
        await click(page.getByText("Raise the limit of search"));
        await page.getByText(/repeated-call: \{ nudge: 7, force-done: 9, short-circuit: 11 \}/).waitFor();
      },
      "mark as a false alarm": async () => {
        await click(link("stopped"));
        await click(button("It was a false alarm"));
        await page.getByText("loopback said: a false alarm").waitFor();
      },
      "release a wrongly stopped run": async () => {
        await click(button("Let it go on: stopped"));
        await click(page.getByRole("dialog").getByRole("button", { name: "Let it go on" }));
        await page.getByText("Goes on: stopped").waitFor();
      },
    };
    const counted: Record<string, number> = {};
    for (const [task, act] of Object.entries(tasks)) {
      await link("Unloop").click();
      await rowOf(page, "stopped").waitFor();
      clicks = 0;
      await act();
      counted[task] = clicks;
    }
    // What was done last can be taken back.
    await page.getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "stopped").getByText("stopped by an operator").waitFor();
    const journal = await (await fetch(`${url}api/journal?type=contain,release&limit=2`)).json();
    expect(journal.entries.map(({ type }: { type: string }) => type)).toEqual(["contain", "release"]);
    expect(Object.keys(counted)).toHaveLength(11);
    expect(Math.max(...Object.values(counted)), JSON.stringify(counted)).toBeLessThanOrEqual(2);
    expect(problems).toEqual([]);
  });

  it("stands still with 3,000 runs and 50 news a second: what is typed, the dialog, the focus and the rows", async () => {
    const stage = await busy();
    await Promise.all(Array.from({ length: 20 }, (_, i) => inTurn(150, (j) => beginRun(stage.url, `old-${i}-${j}`))));
    const { page, problems } = await open(stage.page);
    await rowOf(page, "stopped").waitFor();
    await page.getByText("of 3,005 runs today").waitFor();
    const stop = newsFrom(stage.url);
    try {
      await page.getByLabel("Name").pressSequentially("stop", { delay: 100 });
      await vi.waitFor(async () => expect(await page.locator(".runs .name").allTextContents()).toEqual(["stopped"]));
      expect(await page.getByLabel("Name").inputValue()).toBe("stop");
      await page.getByLabel("Name").fill("");
      await rowOf(page, "looper").waitFor();
      await page.locator(".list").hover();
      const places = () => page.locator(".runs .name").allTextContents();
      const before = await places();
      await page.getByRole("button", { name: /changed.*: show/ }).waitFor();
      expect(await places()).toEqual(before);
      expect(before).toHaveLength(50);
      const opener = page.getByRole("button", { name: "Stop run: looper" });
      await opener.click();
      const isAnswered = () => page.waitForResponse(/sessions/);
      await isAnswered();
      expect(await page.evaluate("document.activeElement.name")).toBe("reason");
      await page.keyboard.press("Escape");
      await isAnswered();
      expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await page.locator("*").count()).toBeLessThan(3_000);
      expect(problems).toEqual([]);
    } finally {
      await stop();
    }
  });

  it("tells of each step in words, walks by keys, keeps the chosen step in the address, and saves the run as one file that shows it without the guard", async () => {
    const { page } = await open(shared().page, { acceptDownloads: true });
    await page.getByRole("link", { name: "stopped", exact: true }).click();
    const told = page.getByRole("button", {
      name: /^Step 9: search; repeated, A; the same result as before; in a loop; then search was kept back, nudged at count 3$/,
    });
    await page.getByText(/\d+ \(kept back\)/).waitFor();
    await told.click();
    expect(page.url()).toMatch(/step=9$/);
    await page.getByRole("heading", { name: "Step 9" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: "Step 10" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Step 10" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as one HTML file" }).click(),
    ]);
    const saved = await open(onDisk(readFileSync(await download.path(), "utf8")));
    await saved.page.getByText("kept from the agent").first().waitFor();
    expect(saved.problems).toEqual([]);
  });

  it("runs nothing of what names say, even without its content security policy", async () => {
    const stage = await stagedFor();
    const turns = Array<Turn>(6).fill([hostile, { q: hostile }, hostile]);
    await stage.play({ session: hostile, task: "Go.", model: hostile, turns }, 4);
    const { page, ran } = await open(stage.page, { bypassCSP: true });
    await page.getByRole("link", { name: hostile.slice(0, 8) }).click();
    await page.getByRole("button", { name: /^Step 2: / }).waitFor();
    expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
    // What turns a line round turns nothing around it.
    await page.locator("bdi", { hasText: hostile }).first().waitFor();
    await page.getByRole("link", { name: "Totals" }).click();
    await page.getByRole("heading", { name: "Where loops are" }).waitFor();
    expect(await ran()).toBe(undefined);
  });
});

const inTurn = async (count: number, act: (i: number) => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await act(i);
};

const beginRun = async (url: string, session: string) => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-unloop-session": session },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: session }] }),
  });
  return answer.text();
};

/** Fifty runs a second, each of a name of its own. @returns what ends it */
function newsFrom(url: string) {
  const open: Promise<unknown>[] = [];
  const timer = setInterval(() => open.push(beginRun(url, `news-${open.length}`)), 20);
  return () => {
    clearInterval(timer);
    return Promise.allSettled(open);
  };
}

const inject = async (page: Page) => {
  await page.evaluate((html) => {
    document.body.insertAdjacentHTML("beforeend", html);
    const script = document.createElement("script");
    script.textContent = "globalThis.ran=1";
    document.body.append(script);
  }, hostile);
  await page.waitForTimeout(100);
};

describe.skipIf(browser === undefined)("the content security policy alone", () => {
  const conversation = { id: "r", messages: [{ role: "user", content: "hi" }, ...calling(2, () => "search")] };
  const places = [
    { name: "the live page", url: () => shared().page },
    { name: "a report", url: () => report(conversation) },
  ];

  it.each(places)("keeps injected scripts of $name from running", async ({ url }) => {
    const place = await url();
    const held = await open(place);
    await inject(held.page);
    expect(await held.ran()).toBe(undefined);
    const bare = await open(place, { bypassCSP: true });
    await inject(bare.page);
    expect(await bare.ran()).toBe(1);
  });
});

describe.skipIf(browser === undefined)("a report", () => {
  it("draws 500 steps, with the loop in sight, and is walked by keys", async () => {
    const steps = calling(500, (i) => (i < 400 ? `tool_${i}` : `tool_${i % 2}`));
    const messages = [{ role: "user", content: "go" }, ...steps];
    const { page, problems } = await open(await report({ id: "long", messages }));
    const cells = page.locator("button.cell");
    await page
      .getByText(/× 50, same results/)
      .first()
      .waitFor();
    expect(await cells.count()).toBe(500);
    const isInSight = `(() => {
      const [lane, cell] = [document.querySelector(".lane"), document.querySelector('.cell[aria-pressed="true"]')];
      const [outer, inner] = [lane.getBoundingClientRect(), cell.getBoundingClientRect()];
      return outer.top <= inner.top && inner.bottom <= outer.bottom;
    })()`;
    expect(await page.evaluate(isInSight)).toBe(true);
    expect(await serious(page)).toEqual([]);
    await cells.first().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { name: "Step 498" }).waitFor();
    await page.keyboard.press("n");
    expect(await page.locator("button.cell:focus").getAttribute("data-acts")).toBe("nudge");
    expect(problems).toEqual([]);
  });
});
