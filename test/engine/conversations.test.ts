import { describe, expect, it } from "vitest";
import { replay } from "../../src/cli/replay.ts";
import { defaultPolicy } from "../support/detection.ts";
import { abroadDealings } from "../support/abroad-healthy-2.ts";
import { abroadAtWork } from "../support/abroad-healthy.ts";
import { abroadRounds } from "../support/abroad-loops-2.ts";
import { abroadLoops } from "../support/abroad-loops.ts";
import { afarHealthy } from "../support/afar-healthy.ts";
import { afarLoops } from "../support/afar-loops.ts";
import { debatable } from "../support/debatable-loops.ts";
import { disguisedLoops } from "../support/disguised-loops.ts";
import { furtherLoops } from "../support/further-loops.ts";
import { working } from "../support/healthy-at-work.ts";
import { atScale } from "../support/healthy-at-scale.ts";
import { dealing } from "../support/healthy-dealings.ts";
import { plainLoops } from "../support/plain-loops.ts";

const found = (messages: readonly unknown[]) => replay("one", { messages }, defaultPolicy())?.findings;

describe("an agent that goes in circles is found", () => {
  it.each(
    Object.entries({
      ...plainLoops,
      ...disguisedLoops,
      ...furtherLoops,
      ...abroadLoops,
      ...abroadRounds,
      ...afarLoops,
    }),
  )("%s", (_, messages) => expect(found(messages)).not.toEqual([]));
});

describe("an agent that is right to repeat itself is left alone", () => {
  it.each(Object.entries({ ...working, ...dealing, ...atScale, ...abroadAtWork, ...abroadDealings, ...afarHealthy }))(
    "%s",
    (_, messages) => expect(found(messages)).toEqual([]),
  );
});

describe("where nothing tells an agent from one in circles, a word is said at most", () => {
  it.each(Object.entries(debatable))("%s", (_, messages) =>
    expect(found(messages)?.filter(({ rung }) => rung !== "nudge")).toEqual([]),
  );
});
