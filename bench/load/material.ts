/**
 * What an agent reads and says: texts that look like files, listings, records and thoughts, another for every seed, and the
 * same for the same seed, so that two processes agree on them without telling each other.
 */

const WORDS =
  "invoice ledger payment refund customer account balance region tax rate discount order shipment carrier parcel warehouse stock supplier contract renewal quota usage meter bucket window cursor batch worker queue retry lease shard replica index column migration schema field parser token buffer stream socket handler route header policy signature".split(
    " ",
  );
const VERBS = "loads checks groups counts merges splits writes validates skips rounds converts sorts".split(" ");
const LINKS = "because the, and then the, but only if the, so the, while the, before the, which means the".split(", ");

/** Numbers in [0, 1) that the seed alone decides. */
export type Chance = () => number;

/** mulberry32: small, fast, and the same everywhere. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const numberBelow = (chance: Chance, limit: number): number => Math.floor(chance() * limit);
const oneOf = (chance: Chance, all: readonly string[]): string => all[numberBelow(chance, all.length)] ?? "";
const word = (chance: Chance): string => oneOf(chance, WORDS);

export function pathOf(chance: Chance): string {
  return `src/${word(chance)}/${word(chance)}_${word(chance)}_${numberBelow(chance, 1_000)}.py`;
}

/** Prose of at least so many characters. */
export function prose(chance: Chance, characters: number): string {
  let text = "";
  while (text.length < characters) {
    const clause = () => `${word(chance)} ${word(chance)} ${oneOf(chance, VERBS)} ${word(chance)}`;
    text += `The ${clause()} ${oneOf(chance, LINKS)} ${clause()} ${numberBelow(chance, 500)}. `;
  }
  return text;
}

type Line = (chance: Chance, index: number) => string;

const sourceLine: Line = (chance, index) => {
  const indent = "    ".repeat(1 + numberBelow(chance, 3));
  const target = `${word(chance)}_${word(chance)}`;
  return `${String(index + 1).padStart(5)}\t${indent}${target} = ${word(chance)}.get("${word(chance)}", ${numberBelow(chance, 900)})  # ${oneOf(chance, VERBS)} the ${word(chance)}`;
};

const listingLine: Line = (chance) =>
  `-rw-r--r-- 1 dev dev ${String(numberBelow(chance, 90_000)).padStart(6)} ${pathOf(chance)}`;

const recordLine: Line = (chance, index) =>
  `{"row":${index},"${word(chance)}":${numberBelow(chance, 100_000)},"${word(chance)}":"${word(chance)} ${word(chance)}","open":${chance() < 0.5}}`;

const matchLine: Line = (chance) =>
  `${pathOf(chance)}:${numberBelow(chance, 900)}:    return self.${word(chance)}[${numberBelow(chance, 64)}].${word(chance)}("${word(chance)}")`;

const kinds: readonly Line[] = [sourceLine, listingLine, recordLine, matchLine];

/** A tool's result of about so many bytes: by its kind a file's excerpt, a listing, records or matches. */
export function resultText(chance: Chance, kind: number, bytes: number): string {
  const line = kinds[kind % kinds.length] ?? sourceLine;
  let text = "";
  for (let index = 0; text.length < bytes; index += 1) text += `${line(chance, index)}\n`;
  return text.slice(0, bytes);
}
