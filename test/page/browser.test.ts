import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { demo } from "../../src/cli/demo.ts";
import { readPageFile } from "../../src/page/files.ts";
import { pageFiles, reportParts } from "../../src/page/page.ts";
import { play } from "../../src/cli/replay.ts";
import { reportedConversation } from "../../src/cli/reported.ts";
import { policyNamed } from "../../src/policy/policy.ts";
import { openBrowser } from "../support/servers/chromium.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { agent, verdictsOf } from "../proxy/agent.ts";
import { type Script, scriptedUpstream } from "../support/servers/upstream.ts";

const browser = await openBrowser().catch((error: Error) => {
  // A machine of CI has to have one; elsewhere the rest of the suite is worth more than none of it.
  if (process.env.CI !== undefined) throw error;
  console.warn(`Left out: tests of the page in a browser. ${error.message}`);
  return undefined;
});
afterAll(() => browser?.close());

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
  await page.goto(url);
  return { page, problems, ran: () => page.evaluate("globalThis.ran") };
}

async function serious(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** The real server before a model that calls one tool for ever, and agents that run into it. */
async function guarded(env: Readonly<Record<string, string>> = {}, model: string | Script = "search") {
  const calling: Script = () => ({ kind: "calls", calls: [{ tool: String(model), args: '{"q":"Paris"}' }] });
  const upstream = await scriptedUpstream(typeof model === "string" ? calling : model);
  onTestFinished(() => upstream.close());
  const { url, adminToken, close } = await startGuard({ upstream: upstream.url, env });
  onTestFinished(close);
  const turns = async (session: string, count: number, model = "m") => {
    const messages: object[] = [{ role: "user", content: "What is the weather?" }];
    for (let i = 0; i < count; i++) {
      const headers = { "content-type": "application/json", "x-unloop-session": session, "user-agent": "agent/1" };
      const body = JSON.stringify({ model, messages });
      const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      const { choices } = (await answer.json()) as { choices: [{ message: { tool_calls?: { id: string }[] } }] };
      messages.push(choices[0].message);
      for (const { id } of choices[0].message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: id, content: "it rains" });
    }
  };
  const run = (session: string) =>
    agent({ url, upstream, headers: { "x-unloop-session": session }, extra: { stream: true } });
  const page = `${url}/unloop/${adminToken === undefined ? "" : `#live?token=${adminToken}`}`;
  return { url, page, turns, run };
}

const policy = policyNamed("default");

/** A page on disk, as a person opens it. */
function onDisk(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "unloop-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "page.html"), text);
  return pathToFileURL(join(folder, "page.html")).href;
}

async function report(...conversations: readonly { readonly id: string; readonly messages: readonly object[] }[]) {
  const { begin, piece, end } = await reportParts(readPageFile, conversations[0]?.id ?? "");
  const pieces = conversations.flatMap(({ id, messages }) => {
    const played = play(id, { messages }, policy);
    return played === undefined ? [] : [piece(reportedConversation(played, policy))];
  });
  return onDisk(begin + pieces.join("") + end);
}

const calling = (count: number, toolFor: (i: number) => string, text = "it rains") =>
  Array.from({ length: count }, (_, i) => [
    {
      role: "assistant",
      content: text,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: toolFor(i), arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: text },
  ]).flat();

describe("the page's files", () => {
  it("are at most 26 KB in all, compressed", () => {
    const sizes = ["index.html", ...Object.keys(pageFiles)].map((name) => gzipSync(readPageFile(name)).byteLength);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(26 * 1_024);
  });
});

describe.skipIf(browser === undefined)("the live page", () => {
  it.each(["light", "dark"] as const)("is accessible in all its views, %s", async (colorScheme) => {
    const { page: url, turns } = await guarded();
    const { page, problems } = await open(url, { colorScheme });
    await page.getByText("No session yet.").waitFor();
    expect(await serious(page)).toEqual([]);
    await turns("the run", 4);
    const row = page.getByRole("link", { name: "the run" });
    await row.waitFor();
    expect(await serious(page)).toEqual([]);
    await row.click();
    await page.getByRole("button", { name: /^Step 2: search; repeated, A/ }).waitFor();
    expect(await serious(page)).toEqual([]);
    for (const view of ["Rules", "What if", "Cost"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByRole("heading", { name: view, level: 1 }).waitFor();
      expect(await serious(page)).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  it("shows news by itself, stands still while it is paused, and keeps filters in the address", async () => {
    const { page: url, turns } = await guarded();
    const { page } = await open(new URL("#live?state=looping", url).href);
    await page.getByText("No session is like that.").waitFor();
    await turns("healthy run", 1);
    await turns("looping run", 3);
    await page.getByRole("link", { name: "looping run" }).waitFor();
    expect(await page.getByRole("link", { name: "healthy run" }).count()).toBe(0);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    await page.getByLabel("State").selectOption("");
    await page.getByRole("link", { name: "healthy run" }).waitFor();
    expect(page.url()).toMatch(/#live$/);
  });

  it("follows a session's steps while it is looked at, and keeps the chosen one", async () => {
    const { page: url, turns } = await guarded();
    await turns("the run", 3);
    const { page, problems } = await open(url);
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByRole("button", { name: /^Step 0: search/ }).click();
    await turns("the run", 5);
    await page.getByRole("button", { name: /^Step 3: search/ }).waitFor();
    expect(await page.getByRole("button", { name: /^Step 0: search/ }).getAttribute("aria-pressed")).toBe("true");
    expect(problems).toEqual([]);
  });

  it("contains a session with a reason, and releases it", async () => {
    const { page: url, turns } = await guarded();
    await turns("the run", 3);
    const { page } = await open(url);
    for (const [act, reason] of [
      ["Contain", "it burns money"],
      ["Release", "mended"],
    ] as const) {
      await page.getByRole("button", { name: act }).click();
      await page.getByLabel("Reason").fill(reason);
      await page.getByRole("dialog").getByRole("button", { name: act }).click();
    }
    await page.getByRole("button", { name: "Contain" }).waitFor();
    const journal = await (await fetch(new URL("api/journal?type=contain,release", url))).json();
    expect(journal.entries.map(({ type, reason }: Record<string, string>) => [type, reason])).toEqual([
      ["release", "mended"],
      ["contain", "it burns money"],
    ]);
  });

  it("releases a run that the guard ended, which then goes on", async () => {
    const { page: url, run } = await guarded();
    const ended = run("the run");
    expect(verdictsOf(await ended.turns(6)).at(-1)).toBe("short-circuit");
    const { page, problems } = await open(url);
    const row = page.getByRole("row", { name: /the run/ });
    await row.getByText("ended; repeated-call: search").waitFor();
    expect(await row.getByText(/ to (nudge|force-done|short-circuit)/).count()).toBe(0);
    expect(await row.getByRole("button").allTextContents()).toEqual(["Release", "Contain"]);
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("textbox", { name: "Reason" }).fill("it is a load test");
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(verdictsOf([await ended.turn()])).toEqual(["ok"]);
    await page.getByRole("link", { name: "Sessions" }).click();
    await row.getByText("healthy").waitFor();
    expect(await row.getByRole("button").allTextContents()).toEqual(["Contain"]);
    expect(problems).toEqual([]);
  });

  it("says of a run whose answer was cut off that it was, and what of", async () => {
    const rambling = { kind: "text", text: "Let me have another look at the table. ".repeat(60) } as const;
    const { page: url, run } = await guarded({}, () => rambling);
    await run("the run").turn();
    const { page, problems } = await open(url);
    const row = page.getByRole("row", { name: /the run/ });
    await row.getByText(/^cut runaway text: \d+ laps of about \d+ tokens$/).waitFor();
    await row.getByText("not told").waitFor();
    expect(await row.getByText("healthy").count()).toBe(0);
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByText(/^Its newest answer was cut off: it repeated itself, \d+ laps/).waitFor();
    expect(await page.getByText("No loop in").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("says in observe mode what would have been done, and nowhere that it was", async () => {
    const { page: url, run } = await guarded({ UNLOOP_MODE: "observe" });
    await run("the run").turns(7);
    const { page, problems } = await open(url);
    const row = page.getByRole("row", { name: /the run/ });
    await row.getByText("would have ended").waitFor();
    expect(await row.getByRole("button").allTextContents()).toEqual(["Contain"]);
    await page.getByRole("link", { name: "the run" }).click();
    await page.getByText("1 × would have ended").waitFor();
    await page.getByRole("button", { name: /would have nudged at count 3/ }).click();
    await page.getByText("▲ would have nudged").first().waitFor();
    expect(await page.locator("main").innerText()).not.toMatch(/[×▲■⬣✂] (nudge|force-done|short-circuit|cut)\b/);
    await page.getByRole("link", { name: "Rules" }).click();
    await page.getByText("Observe mode: what is counted here would have been done.").waitFor();
    expect(problems).toEqual([]);
  });

  it("asks for the admin token where one is needed", async () => {
    const token = "an admin's token of 30 letters";
    const { page: url } = await guarded({ UNLOOP_ADMIN_TOKEN: token });
    const { page } = await open(url);
    await page.getByLabel("Token").fill("another one");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("There is no such admin token.").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("No session yet.").waitFor();
    expect(await page.getByText("Live", { exact: false }).count()).toBeGreaterThan(0);
  });

  it("says what another policy would have done with a session", async () => {
    const { page: url, turns } = await guarded();
    await turns("the run", 6);
    const { page } = await open(new URL("#what-if", url).href);
    await page.locator("select[name=policy]").selectOption("web-actions");
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByRole("heading", { name: "1 of 1 run would have gone differently" }).waitFor();
    await page.getByText("A policy of your own").click();
    await page.getByLabel("As JSON").fill('{"extends":"default"}');
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByRole("heading", { name: "0 of 1 run would have gone differently" }).waitFor();
  });

  it("says what was saved, and that an estimate is one", async () => {
    const { page: url, turns } = await guarded();
    await turns("the run", 7);
    const { page, problems } = await open(new URL("#cost", url).href);
    await page.getByRole("heading", { name: "What was saved" }).waitFor();
    await page.getByText("default (an estimate)").waitFor();
    await page.getByText("An estimate, not measured").waitFor();
    expect(problems).toEqual([]);
  });

  it("runs nothing of what names say, even without its content security policy", async () => {
    const { page: url, turns } = await guarded({}, hostile);
    await turns(hostile, 4, hostile);
    const { page, ran } = await open(url, { bypassCSP: true });
    await page.getByRole("link", { name: hostile.slice(0, 8) }).click();
    await page.getByRole("button", { name: /^Step 2: / }).waitFor();
    expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
    expect(await page.getByText(hostile.slice(0, 8)).count()).toBeGreaterThan(2);
    for (const view of ["Rules", "Cost"]) await page.getByRole("link", { name: view, exact: true }).click();
    expect(await ran()).toBe(undefined);
  });
});

/** What somebody could have put into a page whose escaping fails; here it does. */
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
    { name: "the live page", url: async () => (await guarded()).page },
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
  it("runs nothing of what a transcript says, even without its content security policy", async () => {
    const messages = [{ role: "user", content: hostile }, ...calling(4, () => hostile, hostile)];
    const { page, ran, problems } = await open(await report({ id: hostile, messages }), { bypassCSP: true });
    await page.getByRole("button", { name: /^Step 2: / }).click();
    expect(await page.getByText(hostile).count()).toBeGreaterThan(3);
    expect([await ran(), problems]).toEqual([undefined, []]);
  });

  it("folds 500 steps, draws them all when asked, and is walked by keys", async () => {
    const steps = calling(500, (i) => (i < 400 ? `tool_${i}` : `tool_${i % 2}`));
    const messages = [{ role: "user", content: "go" }, ...steps];
    const { page, problems } = await open(await report({ id: "long", messages }));
    const cells = page.locator("button.cell");
    await page.getByText(/× 50, same results/).waitFor();
    expect(await cells.count()).toBeLessThan(20);
    await page.getByRole("button", { name: "Every step" }).click();
    expect(await cells.count()).toBe(500);
    await cells.first().focus();
    for (const [key, step] of [
      ["End", 499],
      ["ArrowLeft", 498],
      ["Home", 0],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: `Step ${step}` }).waitFor();
    }
    await page.keyboard.press("n");
    expect(await page.locator("button.cell:focus").getAttribute("data-acts")).toBe("nudge");
    expect(await serious(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("of the demo shows both runs beside one another", async () => {
    let url = "";
    const show = async (text: string) => {
      url = onDisk(text);
    };
    await demo({ out: new PassThrough(), serve: (upstream) => startGuard({ upstream }), show });
    const { page, problems } = await open(url);
    for (const [name, mark] of [
      ["Without a guard", /A × 15, same results/],
      ["With unloop", /A × 2, same results/],
    ] as const) {
      await page.getByRole("heading", { name }).waitFor();
      await page.getByText(mark).waitFor();
    }
    expect(problems).toEqual([]);
  });
});
