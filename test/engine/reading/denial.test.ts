import { requestWork } from "../../../src/work.ts";
import { describe, expect, it } from "vitest";
import { jsonIn } from "../../../src/engine/fingerprint/canonical.ts";
import { readOutcome } from "../../../src/engine/reading/outcome.ts";

const fails = (text: string, denials: "answer" | "fail") =>
  readOutcome({ text }, jsonIn(text, requestWork()), { denials }).failed;

describe("a short report that denies is a failure where a policy says so", () => {
  it.each([
    "Element not found",
    "Index 5 is out of range",
    "waiting for selector timed out",
    '{"result":"Element not found"}',
    "Das Element konnte nicht angeklickt werden.",
    "Impossible de cliquer sur l'élément 5",
    "No se pudo hacer clic en el elemento 5",
    "Não foi possível clicar no elemento 5",
    "Elemento non trovato",
    "要素が見つかりませんでした。",
    "找不到索引为5的元素",
    "클릭하지 못했습니다",
    "Элемент не найден",
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
    "The page shows 14 hotels in Hakone",
    "Die Seite wurde geladen",
    "要素5をクリックしました",
    "「見つかりません」をクリックしました",
    "요소 5를 클릭했습니다",
    '{"a":"not","b":"b","c":"c","d":"d","e":"e"}',
    `The article says that nothing is known of it, ${"and goes on and on ".repeat(20)}`,
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));
});

describe("a failure that is denied is none", () => {
  it.each([
    "No errors found. 3 links, 1 form.",
    "0 errors, 0 warnings",
    "The form is valid; no missing fields",
    "Keine Fehler gefunden. 3 Links, 1 Formular.",
    "Pas d'erreur sur la page",
    "No hay errores. 3 enlaces, 1 formulario.",
    "エラーはありません。リンク3件。",
    "没有发现错误。3 个链接。",
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));

  it.each([
    "No errors found, but the button is not there",
    "Click failed: not visible",
    "Could not load the page without errors: it was refused",
    "Aucune erreur, mais l'élément est introuvable",
    "エラーはありませんが、要素が見つかりません",
  ])("but what is denied besides is one: %s", (text) => expect(fails(text, "fail")).toBe(true));
});

describe("in every policy a failure is told by", () => {
  it.each([
    "Action error 1/1: Element index 5 does not exist",
    "❌ Element not found",
    "🚫 拒否",
    "Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#go')",
    "page.goto: net::ERR_NAME_NOT_RESOLVED at https://x.test/",
    "Error: elemento no encontrado",
    "错误:未找到元素",
  ])("%s", (text) => expect(fails(text, "answer")).toBe(true));

  it.each(["✅ a\n❌ b", "❌ a\n✅ b", "The timeout was raised to 30000ms"])("%j is no sign of a failure", (text) =>
    expect(fails(text, "answer")).toBe(false),
  );
});
