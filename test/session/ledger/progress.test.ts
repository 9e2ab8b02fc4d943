import { describe, expect, it } from "vitest";
import { readProgress, standingOf, successionOf } from "../../../src/session/ledger/progress.ts";
import { mergeHistory, type Ledger, ledgerText } from "../../../src/session/session.ts";
import { judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, times } from "../../support/builders/steps.ts";

const evaluation = judgeWith();

/** The ledger of a run of so many steps, the last of them pending. */
function ledgerOf(steps: number, name = "page"): Ledger {
  const told = conversation(times(steps, (i) => call("read", { [name]: i }, `On ${name} ${i} stands word${i * i}.`)));
  const ledger = mergeHistory(undefined, told, evaluation).save;
  if (ledger === undefined) throw new Error("There is nothing to save.");
  return ledger;
}

const ledgers: readonly Ledger[] = [
  ...Array.from({ length: 12 }, (_, i) => ledgerOf(i + 1)),
  ...[3, 4, 5].map((steps) => ledgerOf(steps, "chapter")),
  ...[70, 71, 75].map((steps) => ledgerOf(steps)),
];

const changes: readonly [string, (ledger: Ledger) => Ledger][] = [
  ["as it is", (ledger) => ledger],
  ["begun anew", (ledger) => ({ ...ledger, since: 1 })],
  ["shortened", (ledger) => ({ ...ledger, carried: ledger.carried - 1 })],
  ["of another schema", (ledger) => ({ ...ledger, schema: ledger.schema + 1 })],
  ["under another budget", (ledger) => ({ ...ledger, budgetKey: "other" as never })],
  [
    "with a grown message",
    (ledger) => ({
      ...ledger,
      grown: [
        {
          at: 0,
          ends: [
            [1, 0],
            [2, 0],
          ],
        },
      ],
    }),
  ],
  ["with something done", (ledger) => ({ ...ledger, interventions: [{} as never] })],
  ["with nothing pending", ({ pending: _, ...ledger }) => ledger],
];

describe("a ledger gives way by its mark", () => {
  it.each(changes)("a ledger that is behind by eight steps at most gives way: %s", (_, change) => {
    const behind = (one: Ledger, other: Ledger) => {
      const lead = other.total - one.total;
      return lead <= 8 && standingOf(readProgress(ledgerText(one)), other) === "behind";
    };
    const givesWay = (one: Ledger, other: Ledger) => {
      const { mark } = successionOf(one) ?? {};
      return mark !== undefined && successionOf(other)?.over.includes(mark) === true;
    };
    for (const one of ledgers.map(change))
      for (const other of ledgers)
        expect([one.total, other.total, givesWay(one, other)]).toEqual([one.total, other.total, behind(one, other)]);
  });

  it("a ledger of a run that replicas take in turns gives way", () => {
    const marks = ledgers.slice(0, 12).map((ledger) => successionOf(ledger)?.mark);
    expect(new Set(marks).size).toBe(12);
    expect(successionOf(ledgerOf(5))?.over).toEqual(marks.slice(0, 4));
  });
});
