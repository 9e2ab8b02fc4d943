const LEAST_DIGITS = 4;
const MOST_TOKENS = 8;

export type ListedCells = ReturnType<typeof listedCells>;

/**
 * Cells that a text lists: what stands between line ends, commas, quotes and bars. Filled token by token while the text is read.
 * @param most cells that are kept
 */
export function listedCells(most: number) {
  const cells = new Set<string>();
  let [first, last, tokens, isItem] = [0, 0, 0, false];
  /** Discards the current cell. */
  const drop = (): void => {
    [tokens, isItem] = [0, false];
  };
  return {
    /** In the order in which they came. */
    cells,
    /** A bare number of few digits is a count or a page more often than an item. */
    add(start: number, end: number, isNumber: boolean): void {
      if (tokens++ === 0) first = start;
      last = end;
      isItem ||= !isNumber || end - start >= LEAST_DIGITS;
    },
    /** Ends the current cell. */
    end(text: string): void {
      if (isItem && tokens <= MOST_TOKENS && cells.size < most) cells.add(text.slice(first, last));
      drop();
    },
    drop,
  };
}
