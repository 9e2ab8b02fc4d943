import { requestWork } from "../../../src/work.ts";
import { describe, expect, it } from "vitest";
import { jsonIn } from "../../../src/engine/fingerprint/canonical.ts";
import { readOutcome } from "../../../src/engine/reading/outcome.ts";

const fails = (text: string, denials: "answer" | "fail") =>
  readOutcome({ text }, jsonIn(text, requestWork()), { denials }).failed;

describe("a short report that denies is a failure where a policy says so", () => {
  it.each([
    "Element not found",
    '{"result":"Element not found"}',
    "Das Element konnte nicht angeklickt werden.",
    "要素が見つかりませんでした。",
    "找不到索引为5的元素",
  ])("%s", (text) => expect(fails(text, "fail")).toBe(true));

  it.each(["Element not found", "未找到元素"])("a short report of a search is an answer: %s", (text) =>
    expect([fails(text, "fail"), fails(text, "answer")]).toEqual([true, false]),
  );
});

describe("a report of what was done is none", () => {
  it.each([
    "Clicked element 5",
    'Clicked "Do not disturb"',
    "Navigated to https://example.com/not-found",
    "「見つかりません」をクリックしました",
    '{"a":"not","b":"b","c":"c","d":"d","e":"e"}',
    `The article says that nothing is known of it, ${"and goes on and on ".repeat(20)}`,
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));
});

describe("a failure that is denied is none", () => {
  it.each([
    "No errors found. 3 links, 1 form.",
    "The form is valid; no missing fields",
    "Keine Fehler gefunden. 3 Links, 1 Formular.",
    "エラーはありません。リンク3件。",
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));

  it.each([
    "No errors found, but the button is not there",
    "Click failed: not visible",
    "Could not load the page without errors: it was refused",
    "エラーはありませんが、要素が見つかりません",
  ])("but what is denied besides is one: %s", (text) => expect(fails(text, "fail")).toBe(true));
});

describe("in every policy a failure is told by", () => {
  it.each([
    "Action error 1/1: Element index 5 does not exist",
    "🚫 拒否",
    "Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#go')",
    "错误:未找到元素",
  ])("%s", (text) => expect(fails(text, "answer")).toBe(true));

  it.each(["✅ a\n❌ b", "❌ a\n✅ b", "The timeout was raised to 30000ms"])("%j is no sign of a failure", (text) =>
    expect(fails(text, "answer")).toBe(false),
  );
});
