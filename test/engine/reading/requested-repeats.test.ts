import { expect, it } from "vitest";
import { ENDLESS, requestedRepeats, UNTIL } from "../../../src/engine/reading/requested-repeats.ts";

it.each([
  { text: "Run the tests 5 times.", asked: 5 },
  { text: "Do this twice.", asked: 2 },
  { text: "Run `bench -w 2 './target/scan x.bin'` ten times in a row", asked: 10 },
  { text: "I told you a hundred times", asked: 0 },
  { text: "Repeat the call 500 times.", asked: 500 },
  { text: "Click element 12 (the red one) 5 times", asked: 5 },
  { text: "第3回の会議について調べて", asked: 0 },
  { text: "The upload test failed 5 times.", asked: 0 },
  { text: "Führe den Upload-Test bitte 20-mal aus", asked: 20 },
  { text: "把测试运行20次", asked: 20 },
  { text: "테스트를 20번 실행해 줘", asked: 20 },
  { text: "5번 버튼을 눌러 줘", asked: 0 },
])("$text: $asked", ({ text, asked }) => expect(requestedRepeats(text)).toBe(asked));

it.each([
  "Run it again and again until it fails, then show me the log.",
  "The test is flaky; run it a few dozen times, please.",
  "Start the job and poll its state every 5 minutes.",
  "Starte den Test immer wieder, bis er fehlschlägt.",
  "Lance le test jusqu'à ce qu'il échoue",
  "失敗するまでテストを繰り返し実行して",
  "反复运行测试，直到失败",
  "실패할 때까지 테스트를 계속 실행해 줘",
])("%s: without a number", (text) => expect(requestedRepeats(text)).toBe(ENDLESS));

it.each(["Can you click the button until the counter stops?", "直到任务完成为止请检查状态"])(
  "%s: up to an event",
  (text) => expect(requestedRepeats(text)).toBe(UNTIL),
);

it.each([
  "I told you again and again, run the linter first.",
  "Check whether the shop is open until 8 pm.",
  "Keep going until the task is complete.",
  "Book a room for 2 hours and send the invitation.",
  `Run the tests until they fail. ${"This is a manual. ".repeat(80)}`,
])("%s: no wish", (text) => expect(requestedRepeats(text)).toBe(0));
