import { describe, expect, it } from "vitest";
import { literalPatterns, madePatterns } from "../../support/checks/patterns.ts";
import { readSources } from "../../support/checks/sources.ts";
import { type HostileCase, hostileRig } from "../../support/hostile/rig.ts";
import { hostileWires, slots } from "../../support/hostile/slots.ts";
import { hostileUnits } from "../../support/hostile/texts.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";

/*
 * Every place of a request and of an answer where a stranger can put a text, by texts made from the source's own patterns: what the
 * guard does with it grows no faster than the text. `npm run bench -- attacks` takes each place with each text.
 */

const SMALL = 65_536;
const LARGE = 4 * SMALL;
/** Less than this is no attack, and too little to measure. In ms of CPU. */
const HARMLESS_MS = 60;
/** Work in line with the text is 4 times as much, with its square 16 times. */
const FACTOR = 4 ** 1.5;
const TRIES = 5;

const files = readSources().map(({ file }) => file);
const root = new URL("../../../src", import.meta.url).pathname;
const units = hostileUnits([...literalPatterns(files, root), ...(await madePatterns(files))], 1);
const tellings = [
  { turns: 1, isSame: true },
  { turns: 4, isSame: true },
  { turns: 64, isSame: false },
];
const costOf = hostileRig();
const acts = { wire: chatCompletionsWire, slot: "acting" } as const;

async function growsTooFast(one: HostileCase): Promise<boolean> {
  let large = await costOf(one, LARGE);
  for (let tries = 1; tries < TRIES && large > HARMLESS_MS; tries++) {
    large = Math.min(large, await costOf(one, LARGE));
    if (large <= FACTOR * Math.max(await costOf(one, SMALL), HARMLESS_MS / FACTOR)) return false;
  }
  return large > HARMLESS_MS;
}

/** Texts for each place, of which more than half have their turn somewhere. */
const EACH = 3;

describe.each(hostileWires.map((wire, w) => ({ name: wire.name, wire, w })))("a request of $name", ({ wire, w }) => {
  it.each(slots.map((slot, s) => ({ slot, s })))(
    "costs no more than in line with a text in its place $slot",
    async ({ slot, s }) => {
      const from = (w * slots.length + s) * EACH;
      const slow: string[] = [];
      for (let i = from; i < from + EACH; i++) {
        const { name, unit } = units[i % units.length] ?? { name: "", unit: " " };
        const telling = tellings[i % tellings.length] ?? { turns: 1, isSame: true };
        if (await growsTooFast({ wire, slot, unit, telling })) slow.push(name);
      }
      expect(slow).toEqual([]);
    },
  );
});

const SIZE = 64 * SMALL;
/** What many actions may cost compared with prose, which no dialect reads further. They cost 10 to 25 times as much when each was read. */
const PROSE_FACTOR = 5;

describe.each([
  { name: "labelled lines", unit: "Action: a\nAction Input: b\n" },
  { name: "labelled lines with observations", unit: "Action: a\nObservation: b\n" },
  { name: "a JSON list", text: (length: number) => `{"action":[${'{"a":{}},'.repeat(length / 9 - 3)}{"a":{}}]}` },
])("a request whose texts tell very many actions as $name", ({ unit, text }) => {
  it.each([64, 512])("costs about as much as prose in %i turns", async (turns) => {
    const acting = text?.(SIZE / turns) ?? unit ?? "";
    const least = async (told: string) => {
      const one: HostileCase = { ...acts, unit: told, telling: { turns, isSame: false } };
      const costs = [];
      for (let tries = 0; tries < 3; tries++) costs.push(await costOf(one, SIZE));
      return Math.min(...costs);
    };
    expect(await least(acting)).toBeLessThan(
      PROSE_FACTOR * Math.max(await least("It is a word\nand another\n"), HARMLESS_MS),
    );
  });
});

it("texts are made from several hundred patterns", () => {
  expect(units.length).toBeGreaterThan(300);
});
