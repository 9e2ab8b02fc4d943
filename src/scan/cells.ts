const LEAST_DIGITS = 4;
const MOST_TOKENS = 8;

export type ListedCells = ReturnType<typeof listedCells>;

/** What a text lists between line ends, commas, quotes and bars; filled token by token. @param most cells that are kept */
export function listedCells(most: number) {
  const cells = new Set<string>();
  let [first, last, tokens, isItem] = [0, 0, 0, false];
  const drop = (): void => {
    [tokens, isItem] = [0, false];
  };
  return {
    cells,
    /** A bare number of few digits is a count or a page more often than an item. */
    add(start: number, end: number, isNumber: boolean): void {
      if (tokens++ === 0) first = start;
      last = end;
      isItem ||= !isNumber || end - start >= LEAST_DIGITS;
    },
    end(text: string): void {
      if (isItem && tokens <= MOST_TOKENS && cells.size < most) cells.add(text.slice(first, last));
      drop();
    },
    drop,
  };
}
