import type { JsonObject } from "../../src/text/is-object.ts";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { asksForRepetition, isNews } from "../../src/engine/engine.ts";
import { jsonIn } from "../../src/engine/fingerprint/canonical.ts";
import { withoutEnvelope } from "../../src/engine/fingerprint/outcome-fingerprint.ts";
import { leaveIn } from "../../src/engine/reading/closing.ts";
import { readOutcome } from "../../src/engine/reading/outcome.ts";
import { ENDLESS, requestedRepeats, UNTIL } from "../../src/engine/reading/requested-repeats.ts";
import { asksForCompaction, plainText } from "../../src/engine/reading/speech.ts";
import { toolKindOf } from "../../src/engine/reading/tool-kind.ts";
import { itemsListed, namedIn } from "../../src/engine/reading/user-list.ts";
import type { Outcome } from "../../src/step.ts";
import { requestWork } from "../../src/work.ts";
import { printOf } from "../support/builders/detection.ts";
import { oddTexts } from "../support/builders/odd-texts.ts";
import { call } from "../support/builders/steps.ts";

/* Words of eight languages fail in the labelled conversations where they matter. Here is what each reader looks for at all. */

const judge = (outcome: Outcome, denials?: "answer" | "fail") =>
  readOutcome(outcome, jsonIn(outcome.text.trim(), requestWork()), denials && { denials });
const failed = (text: string, denials?: "answer" | "fail") => judge({ text }, denials).failed;
const console_ = (output: string, code: number) =>
  `Command: lint\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)`;

describe("an outcome", () => {
  const refused = "Error: connect ECONNREFUSED 10.0.0.4: connection refused";
  it.each([
    "Error: no such user",
    "Traceback (most recent call last):\n  File …",
    "It was tried, and then this: ZSH: COMMAND NOT FOUND: FOO",
    console_("3 problems", 1),
    '{"error":"not found"}',
    '{"success":false}',
    '[{"errorCode":"INSUFFICIENT_ACCESS","message":"droits insuffisants","fields":["OwnerId"]}]',
    "Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#go')",
    "Your last response must contain one code block.",
  ])("has failed: %s", (text) => expect(failed(text)).toBe(true));

  it.each([
    "",
    "503 of 900 files copied",
    console_("(empty)", 1).replace("lint", "grep x"),
    "Error handling in Go: a guide",
    "Could not find any results for this query",
    '{"errcode": 0, "errmsg": "ok"}',
    '{"errorCode":{"toString":1},"message":"no"}',
    '{"status":{"toString":1},"code":["error"]}',
    '{"errorCode":"NO_ERROR","message":"done"}',
    '[{"errorCode":"E103","message":"disk full","data":{"count":3}}]',
    '{"exit_code":0,"stderr":"warning: error ahead"}',
    JSON.stringify({ title: "Error: a novel", content: refused }),
    "The timeout was raised to 30000ms",
  ])("has not failed: %j", (text) => expect(failed(text)).toBe(false));

  it.each([
    JSON.stringify({ name: "lookup", content: refused }),
    JSON.stringify({ response: { type: "text", content: refused } }),
    "Tool call failed with error: 'connection refused by the host'",
  ])("is a failure that may pass in each wrapping: %s", (text) =>
    expect(judge({ text })).toMatchObject({ failed: true, cause: "transient" }),
  );

  it.each([
    ["Error: 401 Unauthorized", "auth"],
    ["Error: unknown tool 'serach'", "unknown-tool"],
    ["Error: index out of range", undefined],
    ["The page about HTTP 401 Unauthorized was read.", undefined],
  ])("%s: its cause is %s", (text, cause) => expect(judge({ text }).cause).toBe(cause));

  it.each([
    ['{"columns":["id"],"rows":[],"row_count":0,"truncated":false}', "nothing"],
    ['{"ok":true,"id":"m_1"}', "acknowledgement"],
    ['{"state":"closed"}', "informative"],
    ['{"rows":[1,2],"skipped":0,"columns":["id"]}', "informative"],
  ])("%s tells %s", (text, weight) => expect(judge({ text }).weight).toBe(weight));

  it.each([
    ["Status: running, 40 %", true],
    ['{"id":7,"status":"building"}', true],
    ["A building in the centre, 3 floors", false],
    ["A long article about running. ".repeat(40), false],
  ])("%s is still under way: %s", (text, pending) => expect(judge({ text }).pending).toBe(pending));

  it("is judged in linear time", () => {
    for (const word of ["missing ", "exit ", "return ", "{", "[", "1 ", "\u00e9", "error"])
      expect(judge({ text: word.repeat(200_000) })).toHaveProperty("failed");
  });
});

it.each<[text: string, fails: boolean]>([
  ["Element not found", true],
  ["要素が見つかりませんでした。", true],
  ['Clicked "Do not disturb"', false],
  ["Navigated to https://example.com/not-found", false],
  [`The article says that nothing is known of it, ${"and goes on and on ".repeat(20)}`, false],
  ["No errors found. 3 links, 1 form.", false],
])("a short report that denies is a failure where a policy says so, unless that is denied: %s: %s", (text, fails) =>
  expect([failed(text, "fail"), failed(text, "answer")]).toEqual([fails, false]),
);

it.each<[tool: string, args: JsonObject, kind: string]>([
  ["sequential_thinking", {}, "think"],
  ["get_job_status", {}, "poll"],
  ["send_email", {}, "send"],
  ["update_order_status", {}, "write"],
  ["createIssue", {}, "write"],
  ["read_file", {}, "other"],
  ["slack_post", { channel: "#ops", text: "hi" }, "send"],
  ["todo_write", { todos: [{ status: "done" }, { status: "pending" }] }, "plan"],
  ["write_stdin", { id: 1, chars: "" }, "poll"],
  ["str_replace_editor", { command: "view", path: "a" }, "other"],
  ["process", { action: "poll" }, "poll"],
  ["bash", { command: "sleep 5; cat log" }, "poll"],
  ["bash", { command: "echo hi > a.txt" }, "write"],
  ["bash", { command: "cat a.txt 2>/dev/null" }, "other"],
  // In linear time.
  ["bash", { command: `sleep 1${" ".repeat(50_000)}!` }, "other"],
])("the kind of a tool: %s %j: %s", (tool, args, kind) => expect(toolKindOf(tool, args)).toBe(kind));

describe("what a user wants repeated", () => {
  it.each([
    ["Run the tests 5 times.", 5],
    ["Run `bench -w 2 './target/scan x.bin'` ten times in a row", 10],
    ["把测试运行20次", 20],
    ["The upload test failed 5 times.", 0],
    ["O teste falhou 5 vezes.", 0],
    ["Run the tests (approx. 5 min each) 4 times.", 4],
    ["Read the manual and do not stop until you understand.", 0],
    // What a program is to do is none of the agent's.
    ["The page takes forever to open, fix it", 0],
    ["Implement a job to check the queue every 5 minutes", 0],
    ["5번 버튼을 눌러 줘", 0],
    ["Run it again and again until it fails, then show me the log.", ENDLESS],
    ["失敗するまでテストを繰り返し実行して", ENDLESS],
    ["直到任务完成为止请检查状态", UNTIL],
    ["Check whether the shop is open until 8 pm.", 0],
    [`Run the tests until they fail. ${"This is a manual. ".repeat(80)}`, 0],
  ])("%s: %s", (text, asked) => expect(requestedRepeats(text)).toBe(asked));

  it.each<[text: string, asks: boolean]>([
    ["Write 'I will not talk in class' 100 times.", true],
    ["Keep saying the word banana until I stop you.", true],
    ["「ごめんなさい」を100回書いてください。", true],
    ["Don't repeat the word 'very'.", false],
    ["I can't say it 100 times", false],
    ["Repeat the following steps until the tests pass.", false],
    ["不要重复写同一句话100遍", false],
  ])("%s: in one text: %s", (text, asks) => expect(asksForRepetition(text)).toBe(asks));
});

describe("an item of a user's list", () => {
  const named = (text: string, action: string) => namedIn(action, itemsListed(text)) !== "";
  it.each<[text: string, action: string, is: boolean]>([
    ["Look at:\n- the front page\n- the cart\n- the till", '{"page":"the cart"}', true],
    ["Prüfe bitte: Ahorn, Birke und Zeder", '{"baum":"Zeder"}', true],
    ["Load all 24 blocks.", '{"block":7}', true],
    ["Look into: abel.ts, bruns.ts, costa.ts", '{"command":"grep -n TODO src/bruns.ts"}', true],
    ["Find out, please, what we pay during parental leave.", '{"query":"parental leave pay"}', false],
    ["Check curl, expat and zlib.", '{"package":"openssl"}', false],
    ["Check curl, expat and zlib.", `{"content":"${"zlib is one of the libraries. ".repeat(20)}"}`, false],
  ])("%s is named by %s: %s", (text, action, is) => expect(named(text, action)).toBe(is));

  it("is kept as a code, of a bounded number of items, and found by looking at few pieces of a text", () => {
    const listed = itemsListed(Array.from({ length: 5_000 }, (_, i) => `item${i}`).join(", "));
    expect(listed.length).toBe(3 * 512);
    expect(listed).not.toContain("item");
    for (const piece of ["\n", "\r\n", " \n", "a\n", "a,\n", "a,"]) {
      const split = vi.spyOn(String.prototype, "split");
      itemsListed(piece.repeat(8_192 / piece.length));
      const count = split.mock.calls.length;
      split.mockRestore();
      expect(count).toBeLessThan(4 * 2_048);
    }
  });
});

describe("what is heard", () => {
  it.each<[text: string, is: boolean]>([
    ["Observation: Invalid format: missing 'Action:' after 'Thought:'.", false],
    ["Stop hook feedback:\nRun the tests first.", false],
    ["[SYSTEM NOTIFICATION - NOT USER INPUT] the sub-agent is done", false],
    ["Please validate the form on the page.", true],
  ])("%s is a user's word: %s", (text, is) => expect(isNews(text)).toBe(is));

  it.each<[text: string, offersTools: boolean, is: boolean]>([
    ["CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\nCreate a detailed summary of the work.", true, true],
    ["请总结到目前为止的对话,不要调用任何工具。", true, true],
    ["Summarize the report and send it to Ana.", true, false],
  ])("%s (tools: %s) asks for a summary in the history's place: %s", (text, offersTools, is) =>
    expect(asksForCompaction(text, offersTools)).toBe(is),
  );

  it.each([
    "Thank you, you too! Have a great day. 😊",
    "You're welcome! Let me know if you need anything.",
    "どういたしまして。また何かありましたらお知らせください。",
    "¡El placer ha sido mío! Un saludo y buen día.",
    "Muito obrigada pela ajuda! Tenha um bom dia.",
    "Grazie a te, buona giornata!",
  ])("%s is nothing but a farewell", (text) =>
    expect(leaveIn([text])).toEqual({ chars: Array.from(text).length, only: true }),
  );

  it.each([
    "",
    "Thanks, and also cancel the order",
    "Thanks. Go on",
    "Grazie, prenota il volo",
    "谢谢，请继续",
    "You're welcome! Is there anything else?",
    `Thank you. ${"Have a great day! ".repeat(20)}`,
  ])("%s is more", (text) => expect(leaveIn([text])?.only).not.toBe(true));

  it("is told for a farewell in a moment, however the text was made", () => {
    for (const text of ["thank you ".repeat(39), "have a ".repeat(57), "bis ".repeat(99), "祝您".repeat(199)])
      expect(leaveIn([text])?.chars ?? 0).toBeLessThanOrEqual(200);
  });
});

describe("a text without all but its letters and digits", () => {
  it("is in one case and one form, whatever its length", () => {
    const plainly = (text: string) =>
      text
        .toLowerCase()
        .normalize("NFKC")
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim();
    fc.assert(
      fc.property(oddTexts, (text) => {
        expect(plainText(text)).toBe(plainly(text));
      }),
    );
    for (const length of [16_383, 16_384, 16_385, 40_000])
      expect(plainText("Ab, ".repeat(length / 4)).length).toBe(3 * Math.floor(length / 4) - 1);
  });

  it.each(["\ufdfa", "\u{1d1bf}"])("is worked on only as far as it is not much longer than the text: %j", (letter) => {
    for (const length of [2, 2_000, 40_000]) {
      const normalized = vi.spyOn(String.prototype, "normalize");
      const plain = plainText(letter.repeat(length));
      const worked = normalized.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
      normalized.mockRestore();
      expect(plain.length).toBeLessThanOrEqual(2 * letter.length * length + 64);
      expect(worked).toBeLessThan(2 * letter.length * length + 20_000);
    }
  });
});

describe("what a harness says around a result is no part of it", () => {
  const outcomeOf = (text: string) => printOf(call("bash", { command: "ls" }, text)).calls[0]?.outcome;
  const exited = (code: number, output = "cat: no") =>
    `Chunk ID: a\nWall time: 1 seconds\nProcess exited with code ${code}\nOriginal token count: 3\nOutput:\n${output}`;

  it.each<[name: string, text: (n: number) => string]>([
    ["a reminder behind it", (n) => `notes.txt\n\n<system-reminder>\nTurn ${n} is on.\n</system-reminder>`],
    ["what is left of a budget", (n) => `notes.txt\n<total_tokens>${15000 - n} tokens left</total_tokens>`],
    ["a header of its own", (n) => exited(0, "notes.txt").replace("a\nWall time: 1", `14b83${n}\nWall time: 0.34${n}`)],
  ])("%s", (_, text) => {
    expect(outcomeOf(text(1))).toEqual(outcomeOf(text(2)));
    expect(outcomeOf(text(1))?.hash).not.toBe(outcomeOf(text(1).replace("notes.txt", "other.txt"))?.hash);
  });

  it.each(["a <system-reminder> b", "Wall time of the race: 7 seconds"])("but %s stays", (text) =>
    expect(withoutEnvelope(text)).toBe(text),
  );

  it.each(["[exit 100]", "(exit status 2)", "exit code: 127"])("as the last line tells: %s", (line) => {
    expect(
      outcomeOf(`Reading lists... Done\nBuilding the tree... Done\nDone so far\nNo package x\n${line}`)?.failed,
    ).toBe(true);
  });

  it.each(["exit 2", "  exit 3", "Exit 24"])("but no last line of a script or a route: %s", (line) => {
    expect(outcomeOf(`set -e\nmake all\nmake check\nif it is well\nthen go on\n${line}`)?.failed).toBe(false);
  });

  it("though the exit code above an output still tells", () => {
    expect([1, 0].map((code) => outcomeOf(exited(code))?.failed)).toEqual([true, false]);
  });
});
