import { describe, expect, it } from "vitest";
import { countsOf } from "../support/builders/detection.ts";
import { call, heard, said, times } from "../support/builders/steps.ts";

describe("a gesture leads somewhere", () => {
  const page = "Cart of the shop with one article in it, pay at the till below";
  const taps = (tool: string) => times(4, (i) => call(tool, { of: "cart" }, `${page}\nquantity: ${[5, 2, 7, 3][i]}`));

  it("a number that goes up and down is progress for a gesture, and noise for a look", () => {
    expect(countsOf("repeated-call", taps("tap"))).toEqual([]);
    expect(countsOf("repeated-call", taps("read_cart"))[0]).toMatch(/^4/);
  });

  it("another index of an element on an unchanged page is no progress", () => {
    const covered = (i: number) =>
      `Title Sign in\n[${i + 5}] Accept all cookies\nThe dialog covers the rest of the page for now`;
    const clicks = times(6, (i) => call("click", { index: 12 + 3 * i }, `Clicked ${12 + 3 * i}\n${covered(i)}`));
    expect(countsOf("no-progress", clicks)).toEqual(["6"]);
  });
});

describe("a harness that says the same again", () => {
  const feedback = "[CHECK] nothing was written yet\nuse the tool";
  const excuses = [
    "It is all there.",
    "I have nothing to add.",
    "Every point was done.",
    "As I said: it is done.",
    "Please look at the list.",
  ];

  it("is told of though each answer is another", () => {
    expect(
      countsOf(
        "repeated-message",
        excuses.flatMap((text) => [said(text), heard(feedback)]),
      ),
    ).toContain("5 pushed");
  });

  it("a person who wants one more of the kind is no harness, nor a story that goes on", () => {
    const more = (prompt: string) => excuses.flatMap((text) => [said(text), heard(prompt)]);
    expect(countsOf("repeated-message", more("another one please")).join()).not.toContain("pushed");
    expect(countsOf("repeated-message", more("continue")).join()).not.toContain("pushed");
  });
});

describe("farewells in a language without a list", () => {
  const rounds = (pairs: readonly (readonly [string, string])[]) =>
    pairs.flatMap(([ours, theirs]) => [said(ours), heard(theirs)]);

  it("are known by saying again what was said", () => {
    const farewell = rounds([
      ["Nema na čemu! Lijep dan!", "Hvala, lijep dan i vama!"],
      ["Hvala i vama! Doviđenja!", "Doviđenja, lijep dan!"],
      ["Doviđenja! Hvala!", "Hvala, doviđenja!"],
      ["Lijep dan! Doviđenja!", "Doviđenja i hvala!"],
    ]);
    expect(countsOf("polite-closure", farewell)).toEqual(["4 echo"]);
  });
});

describe("thoughts that say the same in other words", () => {
  const thoughts = [
    "We need to check the train times before we book a hotel.",
    "Before booking the hotel the train times have to be checked.",
    "So first the train times, and then the hotel.",
    "Check the train times first, and book the hotel then.",
    "To book the hotel we need the train times first.",
    "First the train times, then the hotel.",
  ];

  it("are counted, and thoughts that go on or are made in one mould are not", () => {
    const thinking = (texts: readonly string[]) =>
      texts.map((thought, i) => call("think", { thought, number: i }, "ok"));
    expect(countsOf("repeated-message", thinking(thoughts))[0]).toMatch(/^[5-6] reworded/);
    const mould = ["river", "stone", "cloud", "ember", "cedar", "marble"].map(
      (name) => `Consider the ${name} table: it needs a key and an owner.`,
    );
    expect(countsOf("repeated-message", thinking(mould))).toEqual([]);
  });
});

describe("a note that a program adds to each result", () => {
  const lookups = (note: (i: number) => string, result = "Record x9 belongs to the harbour office in Split") =>
    times(4, (i) => [call("lookup", { id: "x9" }, result), heard(note(i))]).flat();

  it.each([
    { name: "counts the steps that are left", note: (i: number) => `Remaining steps: ${24 - i}` },
    { name: "tells the budget", note: (i: number) => `Budget: ${i}.50 of 25.00 USD used.` },
    {
      name: "tells the time",
      note: (i: number) => `<env>\n# Time\n11/23/2026, 3:1${i}:11 AM\n# Used\n${i}7 % of it\n</env>`,
    },
  ])("is no user's news if it $name", ({ note }) => expect(countsOf("repeated-call", lookups(note))).toEqual(["4"]));

  it("may be what the act has brought, behind a bare receipt", () =>
    expect(
      countsOf(
        "repeated-call",
        lookups((i) => `Page ${i + 1} of 9 is shown`, "ok"),
      ),
    ).toEqual([]));
});
