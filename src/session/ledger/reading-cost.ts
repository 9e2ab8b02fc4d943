/** What the steps of a request may cost together. A unit is a step, a call, or a text of so many characters. */
export const MOST_READABLE = 1_024;
const CHARACTERS = 2_048;
/** Letters beyond ASCII take several times as long: they are put into one form and one case first. */
const CHARACTERS_ABROAD = 512;
const ABROAD = /[^\p{ASCII}]/u;

/** Cost of a text that is read as it was sent. */
export function textCost(text: string): number {
  return text.length / CHARACTERS;
}

/** Cost of a text that is compared by its letters and digits, as messages are. */
export function speechCost(text: string): number {
  return text.length / (ABROAD.test(text) ? CHARACTERS_ABROAD : CHARACTERS);
}

export function newestReadable<Item>(items: readonly Item[], costOf: (item: Item) => number): readonly Item[] {
  let cost = 0;
  const first = items.findLastIndex((item) => {
    cost += costOf(item);
    return cost > MOST_READABLE;
  });
  return items.slice(first + 1);
}
