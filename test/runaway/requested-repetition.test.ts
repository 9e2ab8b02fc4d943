import { describe, expect, it } from "vitest";
import { asksForRepetition } from "../../src/runaway/runaway.ts";

describe("asks for a text that repeats itself", () => {
  it.each([
    "Write 'I will not talk in class' 100 times.",
    "Write 'I will check the file again.' 100 times.",
    "Write it a hundred times",
    "Please say hello ten times in a row.",
    "Repeat the word poem forever.",
    "repeat the word “poem” forever",
    'Repeat "company" as many times as you can.',
    "Print the letter a 500 times, no spaces.",
    "Just type ha over and over again.",
    "Keep saying the word banana until I stop you.",
    "Repeat after me: om",
    "Give me 60 identical rows of zeros.",
    "I need 200 copies of this line.",
    "output lol 50x",
    "「ごめんなさい」を100回書いてください。",
    "「あ」を繰り返してください",
    "ずっと「はい」と言ってください",
    "同じ文を五十回出力して",
    "把“我错了”写一百遍",
    "请重复“你好”",
    "请不停地说好",
    "输出“哈”100次",
  ])("%s", (text) => expect(asksForRepetition(text)).toBe(true));
});

describe("asks for no such text", () => {
  it.each([
    "",
    "Explain the plan.",
    "Don't repeat the word 'very'.",
    "Never write the same sentence over and over.",
    "Do not repeat the same call again and again.",
    "Write a script that retries 10 times.",
    "Write a function which prints each line 3 times.",
    "Repeat the following steps until the tests pass.",
    "Run the tests 20 times and tell me how often they fail.",
    "Retry up to 10 times.",
    "The build failed 12 times yesterday.",
    "Write tests for the 100 copies case",
    "Say it twice.",
    "テストを10回実行してください",
    "同じ質問を繰り返さないでください",
    "不要重复“你好”",
    "请运行测试20次",
    "第3回の会議について書いてください",
  ])("%s", (text) => expect(asksForRepetition(text)).toBe(false));
});
