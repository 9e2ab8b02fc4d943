import { describe, expect, it } from "vitest";
import { jsonIn } from "../../../src/engine/fingerprint/canonical.ts";
import { readOutcome } from "../../../src/engine/reading/outcome.ts";

const fails = (text: string, denials: "answer" | "fail") => readOutcome({ text }, jsonIn(text), { denials }).failed;

describe("a short report that denies is a failure where a policy says so", () => {
  it.each([
    "Element not found",
    "No element found at index 5",
    "Could not click element 5: it is covered by another",
    "Element 5 is not visible",
    "Index 5 is out of range",
    "The element is no longer attached; nothing was clicked",
    "Unable to scroll further",
    "waiting for selector timed out",
    "click was refused by the page",
    '{"result":"Element not found"}',
    "Element nicht gefunden",
    "Das Element konnte nicht angeklickt werden.",
    "Zeitüberschreitung beim Warten auf das Element",
    "Élément introuvable",
    "Impossible de cliquer sur l'élément 5",
    "L'élément n'est pas visible",
    "Délai d'attente dépassé",
    "Elemento no encontrado",
    "No se pudo hacer clic en el elemento 5",
    "Tiempo de espera agotado",
    "Elemento não encontrado",
    "Não foi possível clicar no elemento 5",
    "Elemento non trovato",
    "要素が見つかりません",
    "要素が見つかりませんでした。",
    "要素5をクリックできませんでした",
    "タイムアウトしました",
    "未找到元素",
    "找不到索引为5的元素",
    "无法点击该元素",
    "点击失败",
    "操作超时",
    "요소를 찾을 수 없습니다",
    "클릭하지 못했습니다",
    "시간 초과",
    "Элемент не найден",
    "Nie znaleziono elementu",
  ])("%s", (text) => expect(fails(text, "fail")).toBe(true));

  it.each([
    "Element not found",
    "Elemento no encontrado",
    "要素が見つかりません",
    "未找到元素",
    "No match with that name",
  ])("a short report of a search is an answer: %s", (text) =>
    expect([fails(text, "fail"), fails(text, "answer")]).toEqual([true, false]),
  );
});

describe("a report of what was done is none", () => {
  it.each([
    "Clicked element 5",
    "🖱️  Clicked button with index 5: No, thanks",
    'Clicked "Do not disturb"',
    "Navigated to https://example.com/not-found",
    "Scrolled down by 800 pixels, not at the end yet",
    "Waited for 3 seconds",
    "Typed 'cannot' into the field",
    "The page shows 14 hotels in Hakone",
    "Searched for hotels. No results yet.",
    "Opening the notebook",
    "Auf Element 5 geklickt",
    "Die Seite wurde geladen",
    "Clic effectué sur l'élément 5",
    "Se hizo clic en el elemento 5",
    "Cliquei no elemento 5",
    "Clicou no botão Enviar",
    "Ho cliccato sull'elemento 5",
    "要素5をクリックしました",
    "「見つかりません」をクリックしました",
    "次のページを表示しました。続けますか",
    "已点击元素5",
    "点击了「不再提示」",
    "요소 5를 클릭했습니다",
    "Элемент 5 нажат",
    '{"clicked":5,"page":"Results"}',
    '{"a":"not","b":"b","c":"c","d":"d","e":"e"}',
    `The article says that nothing is known of it, ${"and goes on and on ".repeat(20)}`,
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));
});

describe("a failure that is denied is none", () => {
  it.each([
    "No errors found. 3 links, 1 form.",
    "0 errors, 0 warnings",
    "no failures",
    "Page loaded without errors",
    "No console errors were found at this page",
    "The form is valid; no missing fields",
    "No broken links found",
    "The request was not blocked",
    "3 links, none broken. No warnings.",
    "Nothing failed",
    "Keine Fehler gefunden. 3 Links, 1 Formular.",
    "Seite ohne Fehler geladen",
    "Der Test ist nicht fehlgeschlagen",
    "Aucune erreur trouvée. 3 liens.",
    "Pas d'erreur sur la page",
    "Il n'y a pas d'erreur sur la page",
    "La page ne contient aucune erreur",
    "Non ci sono errori",
    "Nie znaleziono błędów",
    "Ningún error encontrado. 3 enlaces.",
    "No hay errores. 3 enlaces, 1 formulario.",
    "No se encontraron errores. 3 enlaces.",
    "Nenhum erro encontrado. 3 links.",
    "Não há erros na página",
    "Nessun errore trovato. 3 link.",
    "Geen fouten gevonden",
    "Brak błędów na stronie",
    "Нет ошибок. 3 ссылки.",
    "エラーはありません。リンク3件。",
    "エラーは見つかりませんでした。",
    "没有发现错误。3 个链接。",
    "未发现任何问题",
    "오류가 없습니다. 링크 3개.",
    "오류가 발견되지 않았습니다",
  ])("%s", (text) => expect(fails(text, "fail")).toBe(false));

  it.each([
    "No errors found, but the button is not there",
    "No element found; no errors in the console",
    "No such element, no error given",
    "Not found: no error page either",
    "The element is missing",
    "Click failed: not visible",
    "Cannot find the missing element",
    "Could not click because of an error",
    "No results found",
    "Could not load the page without errors: it was refused",
    "Keine Fehler, aber das Element wurde nicht gefunden",
    "Aucune erreur, mais l'élément est introuvable",
    "No se encontró el elemento",
    "No hay elementos con ese índice",
    "Não há elemento com esse índice",
    "エラーはありませんが、要素が見つかりません",
    "没有错误,但未找到元素",
    "오류는 없습니다. 요소를 찾을 수 없습니다",
  ])("but what is denied besides is one: %s", (text) => expect(fails(text, "fail")).toBe(true));
});

describe("in every policy a failure is told by", () => {
  it.each([
    "Action error 1/1: Element index 5 does not exist",
    "Action error: Element not found",
    "❌ Element not found",
    "❌  Klick auf 5",
    "🚫 拒否",
    "Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#go')",
    "locator.click: Timeout 30000ms exceeded.",
    "page.goto: net::ERR_NAME_NOT_RESOLVED at https://x.test/",
    "Fehler: Element nicht gefunden",
    "Erreur : élément introuvable",
    "Error: elemento no encontrado",
    "Erro: elemento não encontrado",
    "エラー: 要素が見つかりません",
    "错误:未找到元素",
    "오류: 요소를 찾을 수 없습니다",
  ])("%s", (text) => expect(fails(text, "answer")).toBe(true));

  it.each(["✅ a\n❌ b", "❌ a\n✅ b", "The timeout was raised to 30000ms", "An error 404 page was designed"])(
    "%j is no sign of a failure",
    (text) => expect(fails(text, "answer")).toBe(false),
  );
});
