import { describe, expect, it } from "vitest";
import { type DetectorName, detectorNames, grades, subjectOf } from "../../src/engine/engine.ts";
import { finalText, forceDoneNote, type Language, languageOf, nudgeNote, policyFrom } from "../../src/policy/policy.ts";
import { tellings } from "../../src/policy/wording/templates.ts";
import { languages, sentenceNames } from "../../src/policy/wording/wording.ts";
import { preset } from "../support/builders/detection.ts";
import { ask, call, said, times, together } from "../support/builders/steps.ts";

const intended: Record<Language, string> = {
  en: "If this is intended, carry on.",
  ja: "意図したものであれば、そのまま続けてください。",
  zh: "如果这是有意为之,请继续。",
  es: "Si es lo que se pretende, continúa.",
  de: "Wenn das so gewollt ist, mach weiter.",
  fr: "Si c'est voulu, continue.",
  pt: "Se isso é intencional, continue.",
  ko: "의도한 것이라면 계속하십시오.",
};
/** How each language says "or". */
const or: Record<Language, RegExp> = {
  en: /, or | or /,
  ja: /か、/,
  zh: /或/,
  es: / o /,
  de: / oder /,
  fr: / ou /,
  pt: / ou /,
  ko: /또는/,
};

const step = call("read_file", { path: "src/calc.py" }, "def add(a, b): ...");
const told = (detector: DetectorName, grade?: string) => ({
  detector,
  count: 7,
  ...(grade === undefined ? {} : { grade }),
});
// What is said of a plan has tests of its own.
const kinds = detectorNames
  .filter((detector) => detector !== "goal-distance")
  .map((detector) => ({ detector, grade: undefined as string | undefined }))
  .concat([
    { detector: "repeated-call", grade: "failing" },
    { detector: "repeated-call", grade: "send" },
    { detector: "repeated-call", grade: "transient" },
    { detector: "call-cycle", grade: "failing" },
    { detector: "no-progress", grade: "empty" },
    { detector: "consecutive-failures", grade: "any" },
    { detector: "repeated-message", grade: "announcement" },
    { detector: "repeated-message", grade: "similar" },
    { detector: "repeated-message", grade: "heard" },
    { detector: "repeated-message", grade: "explanation" },
    { detector: "repeated-message", grade: "no-call" },
    { detector: "judged-loop", grade: "talk" },
  ]);
const rows = languages.flatMap((language) => kinds.map((kind) => ({ language, ...kind })));

describe.each(rows)("a nudge in $language for $detector $grade", ({ language, detector, grade }) => {
  const note = nudgeNote(told(detector, grade), step, language);

  it("is one line that says whose it is and how often", () => {
    expect(note).toMatch(/^\[unloop\] /);
    expect(note).not.toMatch(/[\r\n]/);
    // What a judge says has no count that a model could know.
    if (detector !== "judged-loop") expect(note).toContain("7");
  });

  it("gives two alternatives and lets the model carry on", () => {
    expect(note).toMatch(or[language]);
    expect(note.endsWith(intended[language])).toBe(true);
  });
});

it.each(
  rows.filter(
    ({ detector, grade }) =>
      grade !== "talk" && !["budget", "repeated-message", "polite-closure", "retry-storm", "storm"].includes(detector),
  ),
)("a nudge in $language for $detector $grade names the call and what came back", ({ language, detector, grade }) => {
  const note = nudgeNote(told(detector, grade), step, language);
  expect(note).toContain('read_file({"path":"src/calc.py"})');
  expect(note).toContain("def add(a, b): ...");
});

describe.each(languages)("in %s", (language) => {
  it("a force-done names the one tool left, the reason and the task", () => {
    const note = forceDoneNote(told("repeated-call"), step, "Fix calc.py", "finish", language);
    for (const part of ["[unloop]", "finish", "read_file", "7", "success=false", "Fix calc.py"])
      expect(note).toContain(part);
  });

  it("a force-done without such a tool asks for the answer, and leaves out a task that is not known", () => {
    const note = forceDoneNote(told("repeated-call"), step, "", undefined, language);
    expect(note).not.toContain("success=false");
    expect(note).not.toMatch(/undefined|: $/);
  });

  it("the final answer says that it is the guard's, why, and how to go on", () => {
    const text = finalText(told("consecutive-failures"), step, language);
    expect(text).not.toContain("[unloop]");
    expect(text).toContain("read_file");
    expect(text).not.toMatch(/undefined/);
  });

  it("nothing is said of an outcome that is missing or empty", () => {
    for (const quiet of [call("ls"), call("ls", {}, ""), said("")])
      expect(nudgeNote(told("repeated-call"), quiet, language)).not.toMatch(/""|undefined/);
  });
});

it("the Japanese ending has the words that its users know", () => {
  expect(finalText(told("repeated-call"), step, "ja")).toContain(
    "同じ操作の繰り返しを検出したため、タスクを終了します。",
  );
});

describe("the words of a preset", () => {
  const failed = call("click", { index: 5 }, "Error: element not found");
  const failing = preset("consecutive-failures");

  it.each(languages)("in %s a forced end after failures says all that it has to", (language) => {
    const note = forceDoneNote(
      { detector: "consecutive-failures", grade: "any", count: 3 },
      failed,
      "Book a room in Hakone.",
      "done",
      language,
      failing,
    );
    const history = {
      en: /terminate.*only tool.*history or in examples.*else success=true/,
      ja: /終了します.*履歴や例.*使えません.*success=true/,
      zh: /终止.*历史或示例.*不可用.*success=true/,
      es: /terminamos.*historial o en los ejemplos.*success=true/,
      de: /beenden.*Verlauf oder in Beispielen.*success=true/,
      fr: /arrêtons.*historique ou dans les exemples.*success=true/,
      pt: /encerramos.*histórico ou em exemplos.*success=true/,
      ko: /종료합니다.*기록이나 예시.*success=true/,
    };
    expect(note).toMatch(history[language]);
    for (const part of ["3", "done", "success=false", "Book a room in Hakone."]) expect(note).toContain(part);
  });

  it.each(languages)("in %s a repeated action is named with its index and count", (language) => {
    const note = finalText({ detector: "repeated-call", count: 3 }, failed, language, failing);
    expect(note).toMatch(/click.*5|5.*click/);
    expect(note).toContain("3");
  });

  it("say nothing of outcomes that were not compared", () => {
    const text = (name: string) =>
      finalText(told("repeated-call"), step, "en", { ...preset(name), finalText: "reason" });
    expect(text("duplicate-calls")).not.toContain("same outcome");
    expect(text("default")).toContain("same outcome");
  });

  it.each([
    { language: "en", text: "The same operation was repeated, so the task is ended." },
    { language: "ja", text: "同じ操作の繰り返しを検出したため、タスクを終了します。" },
    { language: "zh", text: "检测到重复的操作,因此结束任务。" },
  ] as const)("in $language tell a person why the task ends", ({ language, text }) =>
    expect(finalText(told("repeated-call"), step, language, preset("web-actions"))).toContain(text),
  );
});

describe("every sentence", () => {
  const marks = Object.fromEntries(sentenceNames.map((name) => [name, `<${name}>`]));
  const policy = policyFrom({ wording: Object.fromEntries(languages.map((language) => [language, marks])) });
  const own = "count={count} calls={calls} tool={tool} index={index} outcome={outcome} task={task} done={doneTool}";

  it.each(rows)(
    "of a note in $language for $detector $grade can be said otherwise",
    ({ language, detector, grade }) => {
      const notes = [
        nudgeNote(told(detector, grade), step, language, policy),
        forceDoneNote(told(detector, grade), step, "Fix it", "done", language, policy),
        forceDoneNote(told(detector, grade), step, "", undefined, language, policy),
        finalText(told(detector, grade), step, language, policy),
      ];
      for (const note of notes) expect(note).toMatch(/^(\[unloop\] )?(<[\w:-]+> ?)+$/);
    },
  );

  it("has all places in all languages filled, and none left over", () => {
    for (const { language, detector, grade } of rows)
      for (const terms of [preset("default"), preset("duplicate-calls")])
        for (const note of [
          nudgeNote(told(detector, grade), step, language, terms),
          forceDoneNote(told(detector, grade), step, "Fix it", "done", language, terms),
          finalText(told(detector, grade), step, language, terms),
        ])
          expect(note.replaceAll(/\(\{.*?\}\)/g, "")).not.toMatch(/[{}]|undefined|null/);
  });

  it("may have any place, and says nothing where there is nothing to say", () => {
    const words = policyFrom({ wording: { en: { stopped: own } } });
    expect(finalText(told("repeated-call"), call("click", { index: 5 }, "gone"), "en", words)).toContain(
      'count=7 calls=click({"index":5}) tool=click index=5 outcome="gone" task= done=',
    );
    expect(finalText(told("repeated-message"), said("x"), "en", words)).toContain("calls= tool= index= outcome= task=");
  });

  it("may be left out", () => {
    const quiet = policyFrom({ wording: { en: { recover: "" } } });
    expect(finalText(told("repeated-call"), step, "en", quiet)).not.toMatch(/new instruction| $/);
  });

  it("fills in what a conversation says without reading it for places", () => {
    const trick = call("read", { path: "{task}{count}" }, "{doneTool} $& $1");
    const note = forceDoneNote(told("repeated-call"), trick, "Fix {calls} $&", "done", "en");
    expect(note).toContain('read({"path":"{task}{count}"})');
    expect(note).toContain('The task was: "Fix {calls} $&"');
  });
});

describe("what is quoted", () => {
  const note = (tool: string, args: string, outcome: string) =>
    nudgeNote(told("repeated-call"), call(tool, args, outcome), "en");

  it("is shortened, and says so", () => {
    const long = note("read", `{"text":"${"x".repeat(100_000)}"}`, "y".repeat(100_000));
    expect(long.length).toBeLessThan(800);
    expect(long).toContain("x…");
    expect(long).toContain("y…");
  });

  it("is whole where it is short, though it was written over several lines", () => {
    expect(note("read", '{\n  "path": "a",\n  "line": 1\n}', "one\n\ntwo")).toMatch(
      /read\(\{ "path": "a", "line": 1 \}\)\. It came back \(quoted\): "one two"\./,
    );
  });

  it("is never half a character", () => {
    const emoji = "😀".repeat(5_000);
    for (const shift of ["", "a"]) {
      const cut = note("say", shift + emoji, shift + emoji);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain("\ufffd");
    }
    expect(note("say", "half \ud83d", "\ude00 half").isWellFormed()).toBe(true);
  });

  it("stays on one line, without control characters, whatever it holds", () => {
    const noisy = note("na\nme", "a\u0000b\u001b[31mc\u0085d\u2028e", "x\r\ny\tz");
    expect(noisy).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  });

  it("is short even where a tool's name is not", () => {
    expect(note("x".repeat(10_000), "{}", "ok").length).toBeLessThan(600);
  });

  it("is a few calls of a turn with many, each once", () => {
    const many = together(...times(500, (i) => ask("get", { i: i >> 1 }, "ok")));
    const text = nudgeNote(told("repeated-call"), many, "en");
    expect(text).toContain('get({"i":0}) and get({"i":1}) and get({"i":2}), …');
    expect(text).not.toContain('get({"i":3})');
  });

  it("a task is shortened too", () => {
    expect(forceDoneNote(told("repeated-call"), step, "task ".repeat(10_000), undefined, "en").length).toBeLessThan(
      3_000,
    );
  });
});

describe("the language of a text", () => {
  it.each([
    { text: "Fix the bug.", language: "en" },
    { text: "", language: "en" },
    { text: "42", language: "en" },
    { text: "Corrige el error, por favor.", language: "es" },
    { text: "Busca un hotel en Madrid para dos personas.", language: "es" },
    { text: "Hola, ¿puedes cancelar mi reserva?", language: "es" },
    { text: "Bitte behebe den Fehler in der Datei src/a.ts.", language: "de" },
    { text: "Suche mir ein Hotel in München für zwei Nächte.", language: "de" },
    { text: "Corrige l'erreur dans le fichier src/a.ts, merci.", language: "fr" },
    { text: "Je voudrais réserver une chambre pour deux nuits.", language: "fr" },
    { text: "Corrija o erro no arquivo, por favor.", language: "pt" },
    { text: "Preciso cancelar a minha reserva, não posso viajar.", language: "pt" },
    { text: "버그를 고쳐 주세요", language: "ko" },
    { text: "src/a.ts 파일의 오류를 수정해 주세요", language: "ko" },
    { text: "Vorrei prenotare una camera per due persone con la colazione.", language: "en" },
    { text: "Kun je de fout in het bestand voor mij herstellen?", language: "en" },
    { text: "Jag vill boka ett rum för två nätter i Stockholm.", language: "en" },
    { text: "Proszę zarezerwować pokój na dwie noce w Krakowie.", language: "en" },
    { text: "Find a hotel in San José, near Calle de la Paz.", language: "en" },
    { text: "Play La vie en rose, then stop the music.", language: "en" },
    { text: "Ok", language: "en" },
    { text: "バグを直してください", language: "ja" },
    { text: "README.mdを日本語に翻訳して", language: "ja" },
    { text: "请修复这个错误", language: "zh" },
    { text: "请运行 npm run build 并修复所有错误", language: "zh" },
    { text: "Translate 你好 to English, please.", language: "en" },
    { text: "What does the button ログイン on this page do when it is pressed?", language: "en" },
  ])("$text: $language", ({ text, language }) => expect(languageOf(text)).toBe(language));
});

describe("a fallback action that a policy has for a tool", () => {
  const withFallback = (fallback: unknown) => policyFrom({ tools: { "type*": { fallback } } });
  const typing = call("type_text", { target: "#q", value: "箱根" }, "the same page");

  it.each([
    { fallback: "click the search button.", says: "Do this instead: click the search button." },
    { fallback: { tool: "click", args: { target: "#go" } }, says: 'Do this instead: click({"target":"#go"}).' },
    { fallback: { tool: "submit" }, says: "Do this instead: submit({})." },
  ])("is offered in the place of general advice: $says", ({ fallback, says }) => {
    const policy = withFallback(fallback);
    const note = nudgeNote(told("repeated-call"), typing, "en", policy);
    expect(note).toContain(says);
    expect(note).not.toContain("take a different approach");
    expect(nudgeNote(told("repeated-call"), step, "en", policy)).toContain("take a different approach");
  });

  it.each([
    { fallback: 7, error: "policy.tools.type*.fallback must be" },
    { fallback: { args: {} }, error: 'policy.tools.type*.fallback must also say "tool".' },
    { fallback: { tool: "click", args: { deep: {} } }, error: "must be a text, a number, true or false" },
  ])("is refused with its place where it is none: $fallback", ({ fallback, error }) => {
    expect(() => withFallback(fallback)).toThrow(error);
  });
});

it("a nudge for waiting names the tool's own waiting argument, and a longer value", () => {
  const wait = call("write_stdin", { session_id: 7, chars: "", yield_time_ms: 30_000 }, "");
  const note = nudgeNote(told("unchanged-poll"), wait, "en");
  expect(note).toContain("yield_time_ms");
  expect(note).toContain("120000");
  expect(nudgeNote(told("unchanged-poll"), call("status", { id: 7, broken: "{" }, "running"), "en")).toContain(
    "Wait considerably longer",
  );
});

it("there are words for what some detector tells of, and for nothing else", () => {
  const told = detectorNames.flatMap((detector) =>
    [undefined, ...Object.keys(grades[detector])].map((grade) => subjectOf({ detector, ...(grade && { grade }) })),
  );
  expect([...new Set(told)].sort()).toEqual(Object.keys(tellings).sort());
});
