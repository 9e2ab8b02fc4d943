import fc from "fast-check";
import { expect, it } from "vitest";
import { type Language, languageOf } from "../../src/policy/policy.ts";

const part = fc.constantFrom(..."de la el os das un o e en est der se user list is".split(" "));
const joined = (by: string) => fc.array(part, { minLength: 2, maxLength: 6 }).map((parts) => parts.join(by));
const base64 = fc.base64String({ minLength: 16, maxLength: 120 });
const id = fc.oneof(
  fc.uuid(),
  fc.ulid(),
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 7, maxLength: 64 }),
  base64,
  base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ...["_", "-", ".", "::", "/"].map(joined),
  joined("/").map((path) => `/o/${path}/日本語/ガイド.md`),
  joined("\\").map((path) => `C:\\${path}\\e`),
  joined("/").map((path) => `https://e.example/${path}?o=1&e=os&a=das`),
  joined(".").map((name) => `${name}@o.example.pt`),
  joined("_").map((name) => name.toUpperCase()),
  joined("E").map((name) => `get${name}`),
  fc.tuple(fc.nat(20), fc.nat(20)).map(([major, minor]) => `v${major}.${minor}-e.o`),
  fc.nat(9_999).map((n) => `OS-${n} #${n}`),
  joined(" ").map((words) => `\`${words}\``),
  joined(" ").map((words) => `"${words}"`),
  joined(" ").map((words) => `\`\`\`\nconst o = e(${words});\n\`\`\``),
);

const SENTENCES: Readonly<Record<Language, readonly string[]>> = {
  en: ["Please fix the error in the parser.", "Why is this test failing?"],
  es: ["Corrige el error en la página, por favor.", "¿Por qué no funciona la prueba?"],
  de: ["Bitte behebe den Fehler in der Datei.", "Warum schlägt der Test nicht mehr fehl?"],
  fr: ["Corrige l'erreur dans le fichier, merci.", "Pourquoi est-ce que le test ne passe pas ?"],
  pt: ["Corrija o erro na página, por favor.", "Por que o teste não está passando?"],
  ja: ["ファイルのエラーを直してください。", "なぜテストが失敗するのですか。"],
  zh: ["请修复文件里的这个错误。", "为什么这个测试会失败?"],
  ko: ["파일의 오류를 수정해 주세요.", "왜 테스트가 실패합니까?"],
};
const sentences = Object.entries(SENTENCES).flatMap(([language, texts]) => texts.map((text) => ({ language, text })));

it.each(sentences)("is $language, whatever is quoted, tagged or put around it: $text", ({ language, text }) => {
  for (const told of [text, text.toUpperCase(), `<task>\n${text}\n</task>`, JSON.stringify({ task: text })])
    expect(languageOf(told)).toBe(language);
  const quoted = fc.constantFrom(...sentences.map((one) => `"${one.text.replaceAll('"', "")}"`));
  const half = text.indexOf(" ", text.length / 2);
  const [head, tail] = half < 0 ? [text, ""] : [text.slice(0, half), text.slice(half)];
  fc.assert(
    fc.property(id, id, quoted, (before, after, quotation) => {
      expect(languageOf(`${before} ${text} ${quotation}\n${after}`)).toBe(language);
      expect(languageOf(`${head} ${before}${tail}`)).toBe(language);
    }),
  );
});

it.each([
  ["en", "Open the page of 東京国立 in the browser, please."],
  ["ja", "browser で東京国立博物館のページを開いてください。"],
])("is %s, whose letters are more than those of a name in it: %s", (language, text) =>
  expect(languageOf(text)).toBe(language),
);
