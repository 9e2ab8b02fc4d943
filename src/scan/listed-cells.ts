import type { NumberSort } from "./number-token.ts";

interface CellToken {
  readonly end: number;
  readonly sort: NumberSort;
}

/** Cells that a text lists: what stands between line ends, commas, quotes and bars. Fed token by token by who reads the text anyway. */
export class ListedCells {
  readonly #most: number;
  readonly #cells = new Set<string>();
  #start = -1;
  #end = 0;
  #tokens = 0;
  /** A bare number of few digits is a count or a page more often than an item. */
  #says = false;

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

  add({ sort, end }: CellToken, from: number): void {
    if (this.#tokens++ === 0) this.#start = from;
    this.#end = end;
    if (sort === "name" || end - from >= LEAST_DIGITS) this.#says = true;
  }

  /** Ends the current cell. */
  end(text: string): void {
    if (this.#says && this.#tokens <= MOST_TOKENS && this.#cells.size < this.#most)
      this.#cells.add(text.slice(this.#start, this.#end));
    this.drop();
  }

  /** Discards the current cell. */
  drop(): void {
    this.#tokens = 0;
    this.#says = false;
  }
}

const LEAST_DIGITS = 4;
const MOST_TOKENS = 8;
