import { describe, expect, it } from "vitest";
import { type DetectorName, type DetectorSettings, inspect } from "../../../src/engine/engine.ts";
import { countsOf, printOf } from "../../support/builders/detection.ts";
import { call, heard, type Part, said, times } from "../../support/builders/steps.ts";

type Row = readonly [name: string, parts: readonly Part[], counts: readonly string[]];
type Round = readonly [said: string, heard: string];

const talk = (rounds: readonly Round[]) => rounds.flatMap(([text, reply]) => [said(text), heard(reply)]);
const counts = (detector: DetectorName, parts: readonly Part[], grades: RegExp, detectors: DetectorSettings = {}) =>
  countsOf(detector, parts, { detectors }).filter((found) => grades.test(found));

const STUCK = "I am sorry, I cannot complete this task with the tools that I have been given here.";
const REFUND = "Your refund of forty dollars has been issued to your card.";
const ASK = "Please tell me when my refund will arrive on my card.";
const prompted = (texts: readonly string[]) => talk(texts.map((text) => [text, "continue"]));
const answered = (texts: readonly string[]) => talk(texts.map((text, i) => [text, `What about ${i}, please?`]));
const asking = (texts: readonly string[]) => talk(texts.map((text, i) => [`Answer number ${i}.`, text]));

describe("repeated-message: the same text without a call", () => {
  const announced = ["Let me look into it.", "I will check the file now.", "Next, I'll open the log.", "Let me start."];
  const offer = (i: number) => `Let me check offer ${i} in the ${["north", "south", "east", "west"][i]} for you.`;

  it.each<Row>([
    ["in other case", prompted([STUCK, STUCK.toUpperCase(), `${STUCK} 🙂`]), ["3", "3 refrain"]],
    ["announcements without action", prompted(announced), ["4 announcement"]],
    ["a refrain", [said(STUCK), call("a", {}, "x"), said(STUCK), call("b", {}, "z w"), said(STUCK)], ["3 refrain"]],
    ["nor a short answer to a short question", talk(times(5, () => ["All well.", "Heartbeat?"])), []],
    ["nor what was announced to a user who then spoke", answered(times(4, offer)), []],
  ])("%s", (_, parts, expected) =>
    // Extra grades are the next table's.
    expect(counts("repeated-message", parts, /^\d+( refrain| announcement)?$/)).toEqual(expected),
  );

  const ok: Round = ["Okay!", "okay 🙂"];
  const typed = () =>
    times(3, (i) => ({
      ...call("type", { target: `#f${i}` }, "the page with the form"),
      text: "箱根のホテルを検索します。",
    }));
  const facts = talk(times(4, (i) => [`Fact number ${i} is this.`, `Tell me fact ${i + 1}.`]));

  it.each<readonly [grade: string, ...Row]>([
    ["similar", "whatever the other says", answered([REFUND, `${REFUND.toUpperCase()} 🎉`, REFUND]), ["3"]],
    ["heard", "whatever was answered", asking(times(3, () => ASK)), ["3"]],
    ["heard", "not others", asking([ASK, "And what about order two?", ASK]), []],
    ["exchange", "however short", talk([ok, ok, ok]), ["3"]],
    ["exchange", "two rounds in turn", talk(times(5, (i) => (i % 2 ? ["Great!", "Perfect!"] : ok))), ["4"]],
    ["explanation", "though the actions differ", typed(), ["3"]],
    ["no-call", "whatever is said", facts, ["4"]],
  ])("of the grade %s: %s", (grade, _, parts, expected) =>
    expect(counts("repeated-message", parts, new RegExp(` ${grade}$`))).toEqual(
      expected.map((count) => `${count} ${grade}`),
    ),
  );

  it("what is similar is a setting", () => {
    const parts = answered(["Yes, done.", "Yes, done.", "Yes, done."]);
    expect(counts("repeated-message", parts, /similar/, { "repeated-message": { words: 2 } })).toEqual(["3 similar"]);
    const changed = answered([REFUND, REFUND.replace("card", "account")]);
    expect(counts("repeated-message", changed, /similar/, { "repeated-message": { alike: 1 } })).toEqual([]);
  });
});

describe("polite-closure: rounds in which both sides only close", () => {
  const agent = said("You're welcome! Have a great day! 😊");
  const user = heard("Thank you, you too! Have a great day. 😊");
  const round: readonly Part[] = [agent, user];
  const others = [said("Take care!"), heard("Bye!"), said("Goodbye, Ann."), heard("See you soon, bye")];
  const kind = said("I appreciate the kind words, thank you! Your hint about borders made it what it is.");
  const back = heard("Likewise! Working on this with you was great. Have a good day!");

  it.each<Row>([
    ["two, and more in ever other words", [...round, ...others], ["3"]],
    ["that thank each other and say more are suspected", [kind, back, kind, back], ["2 thanks"]],
    ["but none that asks", [kind, back, kind, heard("Thank you! Which one is next?")], []],
    ["not one side alone", [...round, agent], []],
    ["nor a question", [...round, agent, heard("Thanks! And when will it come?")], []],
  ])("%s", (_, parts, expected) => expect(countsOf("polite-closure", parts)).toEqual(expected));

  it("how short a message must be is a setting", () => {
    const long = [said("Thank you so much for your help today, have a wonderful rest of your day!"), user];
    expect(counts("polite-closure", long, /./, { "polite-closure": { chars: 80 } })).toEqual(["1"]);
    const short = counts("polite-closure", times(3, () => round).flat(), /./, { "polite-closure": { chars: 30 } });
    expect(short).toEqual(["3 thanks"]);
  });

  it("keeps lengths of farewells, no word of them, and sees nothing where a release did not look for them", () => {
    const fingerprint = printOf({ ...agent, heard: [user.heard] });
    expect([fingerprint.closes, fingerprint.heardCloses]).toEqual([35, 39]);
    expect(JSON.stringify(fingerprint)).not.toMatch(/thank|welcome|great/i);
    const { closes: _, heardCloses: __, heardSimilarity: ___, heardWords: ____, ...older } = fingerprint;
    const found = inspect({ window: times(3, () => older), total: 3, requestedRepeats: 0, elsewhere: 0 });
    const names = found.map(({ detector, grade = "" }) => `${detector}:${grade}`);
    expect(names).toContain("repeated-message:");
    for (const name of ["polite-closure:", "repeated-message:heard"]) expect(names).not.toContain(name);
  });
});
