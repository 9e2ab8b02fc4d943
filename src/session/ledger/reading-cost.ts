/** Bytes of a request's budget for each unit of cost, which is a step, a call, or a text of so many characters. */
const BYTES = 12_288;
/** In bytes. */
const STANDARD = 1_024 * BYTES;
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

/** What the steps of a request may cost together. @param readBudget in bytes; undefined: that of an unset server */
export function mostReadable(readBudget = STANDARD): number {
  return readBudget / BYTES;
}

/** Newest items that can be read at once; older ones are left out. */
export function newestReadable<Item>(
  items: readonly Item[],
  costOf: (item: Item) => number,
  readBudget: number | undefined,
): readonly Item[] {
  const most = mostReadable(readBudget);
  let cost = 0;
  const first = items.findLastIndex((item) => {
    cost += costOf(item);
    return cost > most;
  });
  return items.slice(first + 1);
}
