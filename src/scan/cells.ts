/** Cells that a text lists: what stands between line ends, commas, quotes and bars. Filled token by token while the text is read. */
export class ListedCells {
  readonly #most: number;
  readonly #cells = new Set<string>();
  #start = -1;
  #end = 0;
  #tokens = 0;
  #isItem = false;

  /** @param most cells that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#cells.size;
  }

  /** In the order in which they came. */
  texts(): readonly string[] {
    return [...this.#cells];
  }

  /** A bare number of few digits is a count or a page more often than an item. */
  add(start: number, end: number, isNumber: boolean): void {
    if (this.#tokens++ === 0) this.#start = start;
    this.#end = end;
    if (!isNumber || end - start >= LEAST_DIGITS) this.#isItem = true;
  }

  /** Ends the current cell. */
  end(text: string): void {
    if (this.#isItem && this.#tokens <= MOST_TOKENS && this.#cells.size < this.#most)
      this.#cells.add(text.slice(this.#start, this.#end));
    this.drop();
  }

  /** Discards the current cell. */
  drop(): void {
    this.#tokens = 0;
    this.#isItem = false;
  }
}

const LEAST_DIGITS = 4;
const MOST_TOKENS = 8;
