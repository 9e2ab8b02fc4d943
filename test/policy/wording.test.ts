import { describe, expect, it } from "vitest";
import { type DetectorName, detectorNames } from "../../src/engine/engine.ts";
import {
  finalText,
  forceDoneNote,
  languageOf,
  nudgeNote,
  policyFrom,
  preambleFor,
  refusalText,
} from "../../src/policy/policy.ts";
import { languages, places, sentenceNames, standardSentences } from "../../src/policy/wording/wording.ts";
import type { Step } from "../../src/step.ts";
import { preset } from "../support/builders/detection.ts";
import { call, said, times } from "../support/builders/steps.ts";

const step = call("read_file", { path: "src/calc.py" }, "def add(a, b): ...");
const told = (detector: DetectorName, grade?: string) => ({
  detector,
  count: 7,
  ...(grade === undefined ? {} : { grade }),
});
const LANGUAGE_NAMES = {
  ...{ en: "the language of the task", ja: "日本語", zh: "中文", es: "español" },
  ...{ de: "Deutsch", fr: "français", pt: "português", ko: "한국어" },
};

describe.each(languages)("the sentences in %s", (language) => {
  const sentences = standardSentences[language];

  it("are at most thirty, the same as in English, each with the same places, and in that language", () => {
    const placesIn = (sentence: string) => (sentence.match(/\{\w+\}/g) ?? []).sort();
    expect(Object.keys(sentences)).toEqual(Object.keys(standardSentences.en));
    expect(Object.keys(sentences).length).toBeLessThanOrEqual(30);
    for (const [name, sentence] of Object.entries(sentences)) {
      expect([name, placesIn(sentence)]).toEqual([name, placesIn(Object(standardSentences.en)[name])]);
      for (const place of placesIn(sentence)) expect(places).toContain(place.slice(1, -1));
      expect(sentence.replace(/\{\w+\}/g, "")).not.toMatch(/[{}[\]<>`\n]/);
    }
    const text = Object.values(sentences).join(" ");
    expect(languageOf(text.replace(/\{\w+\}|success=\w+/g, ""))).toBe(language);
  });

  it("say what was seen of the run, to whoever reads it, with the stops and blanks of the language", () => {
    const text = refusalText(told("repeated-call"), step, language);
    if (language === "zh") expect(Object.values(sentences).join("")).not.toMatch(/[,:;()]/);
    if (language === "zh" || language === "ja") expect(text).not.toMatch(/。 /);
    const seen = Object.entries(sentences).filter(([name]) => name.startsWith("seen:") && name !== "seen:foreseen");
    expect(seen.map(([, sentence]) => sentence).join(" ")).not.toMatch(
      /\b(?:you|du|dein|deine|tu|tes|tus|você|suas)\b|你/i,
    );
  });

  it("tell a model that has to finish which tool is left, the task, the reason and the language to answer in", () => {
    const note = forceDoneNote(told("repeated-call"), step, "Fix calc.py", "finish", language);
    for (const part of ["[unloop]", "finish", "read_file", "7", "success=false", "Fix calc.py"])
      expect(note).toContain(part);
    const answer = forceDoneNote(told("repeated-call"), step, "", undefined, language);
    for (const one of [note, answer]) expect(one).toContain(LANGUAGE_NAMES[language]);
    expect(answer).not.toMatch(/success=|: ?$/);
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

it("a nudge names the call and what came back, and nothing of an outcome that is missing or empty", () => {
  const note = nudgeNote(told("repeated-call"), step, "en");
  expect(note).toContain('read_file({"path":"src/calc.py"})');
  expect(note).toContain("def add(a, b): ...");
  for (const quiet of [call("ls"), call("ls", {}, ""), said("")])
    expect(nudgeNote(told("repeated-call"), quiet, "en")).not.toMatch(/""|undefined/);
});

it("a nudge for waiting names the tool's own waiting argument, and a longer value", () => {
  const wait = call("write_stdin", { session_id: 7, chars: "", yield_time_ms: 30_000 }, "");
  const note = nudgeNote(told("unchanged-poll"), wait, "en");
  expect(note).toContain("Wait considerably longer before you look again (yield_time_ms: 120000), or");
  expect(nudgeNote(told("unchanged-poll"), call("status", { id: 7 }, "running"), "en")).toContain("look again, or");
});

describe("a sentence of a policy", () => {
  it("is said in place of the product's", () => {
    const marks = Object.fromEntries(sentenceNames.map((name) => [name, `<${name}>`]));
    const policy = policyFrom({ wording: { en: marks } });
    for (const detector of detectorNames)
      for (const note of [
        nudgeNote(told(detector), step, "en", policy),
        forceDoneNote(told(detector), step, "Fix it", "done", "en", policy),
        finalText(told(detector), step, "en", policy),
      ])
        expect(note).toMatch(/^(\[unloop\] )?(<[\w:-]+> ?)+$/);
  });

  it("may have any place, says nothing where there is nothing to say, and may be left out", () => {
    const stopped = "count={count} calls={calls} tool={tool} index={index} outcome={outcome} task={task}";
    const words = policyFrom({ wording: { en: { stopped, intended: "" } } });
    expect(finalText(told("repeated-call"), call("click", { index: 5 }, "gone"), "en", words)).toContain(
      'count=7 calls=click({"index":5}) tool=click index=5 outcome="gone" task=',
    );
    expect(finalText(told("repeated-message"), said("x"), "en", words)).toContain("calls= tool= index= outcome= task=");
    expect(nudgeNote(told("repeated-call"), step, "en", words)).not.toMatch(/intended| $/);
  });

  it.each([
    { fallback: "click the search button.", says: "Do this next: click the search button." },
    { fallback: { tool: "click", args: { target: "#go" } }, says: 'Do this next: click({"target":"#go"}).' },
  ])("gives way to a tool's own fallback: $says", ({ fallback, says }) => {
    const policy = policyFrom({ tools: { "type*": { fallback } } });
    const note = nudgeNote(told("repeated-call"), call("type_text", { value: "箱根" }, "same"), "en", policy);
    expect(note).toContain(says);
    expect(note).not.toContain("take a different approach");
    expect(nudgeNote(told("repeated-call"), step, "en", policy)).toContain("take a different approach");
  });
});

const note = (tool: string, args: string, outcome: string) =>
  nudgeNote(told("repeated-call"), call(tool, args, outcome), "en");

it("what is quoted is filled in without being read for places, whole where it is short, shortened where it is long", () => {
  const trick = call("read", { path: "{task}{count}" }, "{doneTool} $& $1");
  const forced = forceDoneNote(told("repeated-call"), trick, "Fix {calls} $&", "done", "en");
  expect(forced).toContain('read({"path":"{task}{count}"})');
  expect(forced).toContain('The task was: "Fix {calls} $&"');
  expect(note("read", '{\n  "path": "a",\n  "line": 1\n}', "one\n\ntwo")).toMatch(
    /read\(\{ "path": "a", "line": 1 \}\)\. The tools answered \(quoted\): "one two"\./,
  );
  const long = note("read", `{"text":"${"x".repeat(100_000)}"}`, "y".repeat(100_000));
  expect(long.length).toBeLessThan(800);
  expect(long).toMatch(/x….*y…/);
  expect(forceDoneNote(told("repeated-call"), step, "task ".repeat(10_000), undefined, "en").length).toBeLessThan(3e3);
});

const stepOf = (args: string, text: string, failed = false) => call("search", args, text, failed);

describe("an end that tells what was found", () => {
  const steps = [
    stepOf("a", "The ferry leaves at nine."),
    stepOf("b", "Error: timed out at 12:01", true),
    stepOf("c", "It costs 12 euros."),
    stepOf("d", "Error: timed out at 12:02", true),
    stepOf("e", "It costs 12 euros."),
  ];
  const facts = { detector: "repeated-call", count: 5, steps } as const;
  const last = steps.at(-1) as Step;

  it.each(languages)("quotes the distinct results, newest first, and a failure once (%s)", (language) => {
    const quoted = '"It costs 12 euros.", "Error: timed out at 12:02", "The ferry leaves at nine."';
    expect(forceDoneNote(facts, last, "When?", undefined, language)).toContain(quoted);
    expect(finalText(facts, last, language)).toContain(quoted);
  });

  it("is bounded, however long and many the results are", () => {
    const many = times(60, (i) => stepOf(String(i), `${i} ${"long result ".repeat(2_000)}`));
    const lengthOf = (steps: readonly Step[]) => forceDoneNote({ ...facts, steps }, last, "", undefined, "en").length;
    expect(lengthOf(many)).toBeLessThan(lengthOf([]) + 1_300);
  });

  it("quotes nothing where the policy says so, where only words were exchanged, or where nothing came back", () => {
    expect(finalText(facts, last, "en", { endTells: "nothing" })).not.toContain("ferry");
    expect(finalText({ ...facts, detector: "polite-closure" }, last, "en")).not.toContain("ferry");
    expect(finalText({ ...facts, steps: [] }, last, "en")).not.toContain("quoted");
    for (const name of ["web-actions", "duplicate-calls"]) expect(preset(name).endTells).toBe("nothing");
  });
});

const agent = "You are an agent.";

it("the preamble names the policy's own signal, may be one text, may lack languages, and is not said twice", () => {
  const preambleOf = (said: object, system = agent, language: "en" | "ja" | "zh" = "en") =>
    preambleFor({ policy: policyFrom(said), system, language });
  const own = preambleOf({ extends: "user-simulator", stopSignal: "<end>" }, "Say <end> when you are done.");
  expect(own).toContain("<end>");
  expect(own).not.toMatch(/###STOP###|\{/);
  expect(preambleOf({ preamble: { text: "Look first." } }, agent, "ja")).toBe("Look first.");
  expect(preambleOf({ preamble: { text: { ja: "まず見ること。" } } }, agent, "zh")).toBe("まず見ること。");
  expect(preambleOf({ preamble: { text: "Look first." } }, `${agent} Look first.`)).toBeUndefined();
  expect(preambleOf({})).toBeUndefined();
});
