import { describe, expect, it } from "vitest";
import { type DetectorName, detectorNames, grades, subjectOf } from "../../src/engine/engine.ts";
import { finalText, forceDoneNote, languageOf, nudgeNote, policyFrom } from "../../src/policy/policy.ts";
import { languages, places, sentenceNames, standardSentences, tellings } from "../../src/policy/wording/wording.ts";
import { preset } from "../support/builders/detection.ts";
import { ask, call, said, times, together } from "../support/builders/steps.ts";

const step = call("read_file", { path: "src/calc.py" }, "def add(a, b): ...");
const told = (detector: DetectorName, grade?: string) => ({
  detector,
  count: 7,
  ...(grade === undefined ? {} : { grade }),
});

describe.each(languages)("the sentences in %s", (language) => {
  const sentences = standardSentences[language];

  it("are at most thirty, the same as in English, each with the same places", () => {
    const placesIn = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).sort();
    expect(Object.keys(sentences)).toEqual(Object.keys(standardSentences.en));
    expect(Object.keys(sentences).length).toBeLessThanOrEqual(30);
    for (const [name, sentence] of Object.entries(sentences)) {
      expect([name, placesIn(sentence)]).toEqual([name, placesIn(Object(standardSentences.en)[name])]);
      for (const place of placesIn(sentence)) expect(places).toContain(place.slice(1, -1));
      expect(sentence.replace(/\{\w+\}/g, "")).not.toMatch(/[{}[\]<>`\n]/);
    }
  });

  it("are written in that language", () => {
    const text = Object.values(sentences).join(" ");
    expect(languageOf(text.replace(/\{\w+\}|success=\w+/g, ""))).toBe(language);
  });

  it("tell a model that has to finish which tool is left, the task, the reason and the language to answer in", () => {
    const named = { en: "the language of the task", ja: "日本語", zh: "中文", es: "español", de: "Deutsch" };
    const { [language]: name } = { ...named, fr: "français", pt: "português", ko: "한국어" };
    const note = forceDoneNote(told("repeated-call"), step, "Fix calc.py", "finish", language);
    for (const part of ["[unloop]", "finish", "read_file", "7", "success=false", "Fix calc.py", name])
      expect(note).toContain(part);
    const answer = forceDoneNote(told("repeated-call"), step, "", undefined, language);
    expect(answer).toContain(name);
    expect(answer).not.toMatch(/success=|: ?$/);
  });

  it("end a run without the guard's tag, with the reason where it is wanted", () => {
    const text = finalText(told("consecutive-failures"), step, language);
    expect(text).not.toContain("[unloop]");
    expect(text).toContain("read_file");
    expect(finalText(told("consecutive-failures"), step, language, preset("default"))).toBe(sentences.stopped);
  });
});

// What a judge says has no count that a model could know, and what is said of a plan has tests of its own.
it.each(detectorNames.filter((detector) => !["goal-distance", "judged-loop"].includes(detector)))(
  "a nudge for %s is one line that says how often, gives two alternatives, and lets the model carry on",
  (detector) => {
    const note = nudgeNote(told(detector), step, "en");
    expect(note).toMatch(/^\[unloop\] .*7.*, or .* If this is intended, carry on\.$/);
    expect(note).not.toMatch(/\{\w+\}|undefined|null/);
  },
);

it.each([
  "repeated-call",
  "call-cycle",
  "no-progress",
  "unchanged-poll",
  "consecutive-failures",
  "low-novelty",
] as const)("a nudge for %s names the call and what came back", (detector) => {
  const note = nudgeNote(told(detector), step, "en");
  expect(note).toContain('read_file({"path":"src/calc.py"})');
  expect(note).toContain("def add(a, b): ...");
});

it("nothing is said of an outcome that is missing or empty", () => {
  for (const quiet of [call("ls"), call("ls", {}, ""), said("")])
    expect(nudgeNote(told("repeated-call"), quiet, "en")).not.toMatch(/""|undefined/);
});

describe("the words of a preset", () => {
  const failed = call("click", { index: 5 }, "Error: element not found");
  const failing = preset("consecutive-failures");

  it.each(languages)("in %s a repeated action is named with its index and count", (language) => {
    const note = finalText({ detector: "repeated-call", count: 3 }, failed, language, failing);
    expect(note).toMatch(/click.*5|5.*click/);
    expect(note).toContain("3");
  });
});

describe("every sentence", () => {
  const own = "count={count} calls={calls} tool={tool} index={index} outcome={outcome} task={task} done={doneTool}";

  it("of a policy is said in place of the product's", () => {
    const marks = Object.fromEntries(sentenceNames.map((name) => [name, `<${name}>`]));
    const policy = policyFrom({ wording: { en: marks } });
    for (const detector of detectorNames)
      for (const note of [
        nudgeNote(told(detector), step, "en", policy),
        forceDoneNote(told(detector), step, "Fix it", "done", "en", policy),
        forceDoneNote(told(detector), step, "", undefined, "en", policy),
        finalText(told(detector), step, "en", policy),
      ])
        expect(note).toMatch(/^(\[unloop\] )?(<[\w:-]+> ?)+$/);
  });

  it("may have any place, and says nothing where there is nothing to say", () => {
    const words = policyFrom({ wording: { en: { stopped: own } } });
    expect(finalText(told("repeated-call"), call("click", { index: 5 }, "gone"), "en", words)).toContain(
      'count=7 calls=click({"index":5}) tool=click index=5 outcome="gone" task= done=',
    );
    expect(finalText(told("repeated-message"), said("x"), "en", words)).toContain("calls= tool= index= outcome= task=");
  });

  it("may be left out", () => {
    const quiet = policyFrom({ wording: { en: { intended: "" } } });
    expect(nudgeNote(told("repeated-call"), step, "en", quiet)).not.toMatch(/intended| $/);
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
      /read\(\{ "path": "a", "line": 1 \}\)\. The tools answered \(quoted\): "one two"\./,
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

  it("is a few calls of a turn with many, each once", () => {
    const many = together(...times(500, (i) => ask("get", { i: i >> 1 }, "ok")));
    const text = nudgeNote(told("repeated-call"), many, "en");
    expect(text).toContain('get({"i":0}), get({"i":1}), get({"i":2}), …');
    expect(text).not.toContain('get({"i":3})');
  });

  it("a task is shortened too", () => {
    expect(forceDoneNote(told("repeated-call"), step, "task ".repeat(10_000), undefined, "en").length).toBeLessThan(
      3_000,
    );
  });
});

describe("a fallback action that a policy has for a tool", () => {
  const withFallback = (fallback: unknown) => policyFrom({ tools: { "type*": { fallback } } });
  const typing = call("type_text", { target: "#q", value: "箱根" }, "the same page");

  it.each([
    { fallback: "click the search button.", says: "Do this next: click the search button." },
    { fallback: { tool: "click", args: { target: "#go" } }, says: 'Do this next: click({"target":"#go"}).' },
    { fallback: { tool: "submit" }, says: "Do this next: submit({})." },
  ])("is offered in the place of general advice: $says", ({ fallback, says }) => {
    const policy = withFallback(fallback);
    const note = nudgeNote(told("repeated-call"), typing, "en", policy);
    expect(note).toContain(says);
    expect(note).not.toContain("take a different approach");
    expect(nudgeNote(told("repeated-call"), step, "en", policy)).toContain("take a different approach");
  });

  it.each([
    { fallback: 7, error: "policy.tools.type*.fallback must be" },
    { fallback: { args: {} }, error: "policy.tools.type*.fallback.tool must be a text in quotes, not nothing." },
    { fallback: { tool: "click", args: { deep: {} } }, error: "must be a text, a number, true or false" },
  ])("is refused with its place where it is none: $fallback", ({ fallback, error }) => {
    expect(() => withFallback(fallback)).toThrow(error);
  });
});

it("a nudge for waiting names the tool's own waiting argument, and a longer value", () => {
  const wait = call("write_stdin", { session_id: 7, chars: "", yield_time_ms: 30_000 }, "");
  const note = nudgeNote(told("unchanged-poll"), wait, "en");
  expect(note).toContain("Wait considerably longer before you look again (yield_time_ms: 120000), or");
  expect(nudgeNote(told("unchanged-poll"), call("status", { id: 7, broken: "{" }, "running"), "en")).toContain(
    "Wait considerably longer before you look again, or",
  );
});

it("there are words for what some detector tells of, and for nothing else", () => {
  const told = detectorNames.flatMap((detector) =>
    [undefined, ...Object.keys(grades[detector])].map((grade) => subjectOf({ detector, ...(grade && { grade }) })),
  );
  expect([...new Set(told)].sort()).toEqual(Object.keys(tellings).sort());
});
