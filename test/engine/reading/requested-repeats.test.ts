import { expect, it } from "vitest";
import { requestedRepeats } from "../../../src/engine/reading/requested-repeats.ts";

it.each([
  { text: "Run the tests 5 times.", asked: 5 },
  { text: "Ping it three times and report.", asked: 3 },
  { text: "Do this twice.", asked: 2 },
  { text: "Roll the die 10 times", asked: 10 },
  { text: "Make it 10x faster", asked: 0 },
  { text: "I told you a hundred times", asked: 0 },
  { text: "Look at the 7 runs of last night", asked: 0 },
  { text: "Out of stock. Viewed 1500 times.", asked: 0 },
  { text: "Repeat the call 500 times.", asked: 12 },
  { text: "Make twenty consecutive runs", asked: 12 },
  { text: "テストを5回実行してください", asked: 5 },
  { text: "三回試してください", asked: 3 },
  { text: "第3回の会議について調べて", asked: 0 },
  { text: "请运行3次", asked: 3 },
  { text: "请重复两遍", asked: 2 },
  { text: "再试一次", asked: 0 },
  { text: "这是第二次会议", asked: 0 },
  { text: "Resize it to 1920x1080", asked: 0 },
  { text: "Find the cheapest flight.", asked: 0 },
  { text: "", asked: 0 },
])("$text: $asked", ({ text, asked }) => expect(requestedRepeats(text)).toBe(asked));
