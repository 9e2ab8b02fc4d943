import { resolve } from "node:path";
import { literalPatterns, madePatterns } from "../../test/support/checks/patterns.ts";
import { readSources } from "../../test/support/checks/sources.ts";
import { type HostileCase, hostileRig } from "../../test/support/hostile/rig.ts";
import { hostileWires, type Slot, slots } from "../../test/support/hostile/slots.ts";
import { hostileUnits } from "../../test/support/hostile/texts.ts";
import type { Attack } from "./attacks.ts";

const KB = 1_024;
/** The size at which all texts are compared. In characters. */
const SCREENED = 256 * KB;
/** Each twice the one before. */
const SIZES = Array.from({ length: 12 }, (_, i) => 4 * KB * 2 ** i);
const ROUNDS = 3;
/** Growth is of no meaning below. In ms of CPU. */
const NOISE_MS = 20;
const tellings = [
  { turns: 1, isSame: true },
  { turns: 4, isSame: true },
  { turns: 64, isSame: false },
];

interface Worst {
  readonly name: string;
  readonly one: HostileCase;
  readonly ms: number;
}

/** Each place of each wire format by texts from the patterns of the source: the worst text of each place, in sizes that double. */
export const generated: Attack = {
  name: "generated: texts from the source's own patterns",
  async run() {
    const files = readSources().map(({ file }) => file);
    const patterns = [...literalPatterns(files, resolve("src")), ...(await madePatterns(files))];
    const units = hostileUnits(patterns, 1);
    const costOf = hostileRig();
    const least = async (one: HostileCase, size: number) => {
      let best = await costOf(one, size);
      for (let i = 1; i < ROUNDS; i++) best = Math.min(best, await costOf(one, size));
      return best;
    };
    const worstOf = async (slot: Slot): Promise<Worst | undefined> => {
      let worst: Worst | undefined;
      for (const wire of hostileWires)
        for (const [i, { name, unit }] of units.entries()) {
          const one = { wire, slot, unit, telling: tellings[i % tellings.length] ?? { turns: 1, isSame: true } };
          if ((await costOf(one, SCREENED)) <= (worst?.ms ?? 0)) continue;
          const ms = await least(one, SCREENED);
          if (ms > (worst?.ms ?? 0)) worst = { name, one, ms };
        }
      return worst;
    };
    const rows: [string, string][] = [];
    for (const slot of slots) {
      const worst = await worstOf(slot);
      if (worst === undefined) continue;
      const { name, one } = worst;
      const costs: number[] = [];
      for (const size of SIZES) costs.push(await least(one, size));
      const growth = Math.max(
        ...costs.slice(1).map((ms, i) => Math.max(ms, NOISE_MS) / Math.max(costs[i] ?? 0, NOISE_MS)),
      );
      const [screened = 0, largest = 0] = [costs[SIZES.indexOf(SCREENED)], costs.at(-1)];
      const came = `${screened.toFixed(0)} ms of CPU at 256 KB, ${largest.toFixed(0)} ms at 8 MB; at most ${growth.toFixed(1)} times for twice the size`;
      rows.push([`${slot} of ${one.wire.name}: ${name}, ${one.telling.turns} turns`, came]);
      process.stderr.write(`   ${rows.at(-1)?.join(": ")}\n`);
    }
    return rows;
  },
};
