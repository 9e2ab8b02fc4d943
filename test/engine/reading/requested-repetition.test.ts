import { describe, expect, it } from "vitest";
import { asksForRepetition } from "../../../src/engine/engine.ts";

describe("asks for a text that repeats itself", () => {
  it.each([
    "Write 'I will not talk in class' 100 times.",
    "Please say hello ten times in a row.",
    "Repeat the word poem forever.",
    'Repeat "company" as many times as you can.',
    "Keep saying the word banana until I stop you.",
    "Repeat after me: om",
    "I want you to say hello 100 times",
    "Repeat the following sentence 50 times: I am here.",
    "Repeat the following word forever: poem",
    "Write the following line a hundred times",
    "「ごめんなさい」を100回書いてください。",
    "ずっと「はい」と言ってください",
    "把“我错了”写一百遍",
    "请不停地说好",
  ])("%s", (text) => expect(asksForRepetition(text)).toBe(true));
});

describe("asks for no such text", () => {
  it.each([
    "Don't repeat the word 'very'.",
    "Never write the same sentence over and over.",
    "Please avoid repeating yourself over and over",
    "Stop saying sorry over and over again",
    "I can't say it 100 times",
    "Write a script that retries 10 times.",
    "Repeat the following steps until the tests pass.",
    "Run the tests 20 times and tell me how often they fail.",
    "The build failed 12 times yesterday.",
    "Say it twice.",
    "テストを10回実行してください",
    "同じ質問を繰り返さないでください",
    "不要重复“你好”",
    "不要重复写同一句话100遍",
    "避免一直重复",
    "请不要一直重复",
    "第3回の会議について書いてください",
  ])("%s", (text) => expect(asksForRepetition(text)).toBe(false));
});
