import type { MarkRun } from "./marks.ts";

/** Code fence tracker: whether a text is within one; opening and closing runs as in CommonMark. */
export interface Fence {
  isOpen(): boolean;
  /** Takes the next run of punctuation; true: it opens or closes the fence. */
  take(run: MarkRun, place: { readonly startsLine: boolean; readonly endsWord: boolean }): boolean;
  newline(): void;
  reset(): void;
}

const BACKTICK = 0x60;
const TILDE = 0x7e;
const SHORTEST = 3;

export function newFence(): Fence {
  let mark = 0;
  let length = 0;
  let isFirstLine = false;

  function take(run: MarkRun, place: { readonly startsLine: boolean; readonly endsWord: boolean }): boolean {
    // Backticks further on in the line that opened it: that was code within a sentence.
    if (isFirstLine && run.last() === BACKTICK) mark = 0;
    const isFence = (run.first() === BACKTICK || run.first() === TILDE) && run.isUniform() && run.length() >= SHORTEST;
    if (!isFence || !place.startsLine) return false;
    if (mark === 0) {
      mark = run.first();
      length = run.length();
      isFirstLine = true;
      return true;
    }
    if (mark !== run.first() || run.length() < length || !place.endsWord) return false;
    mark = 0;
    return true;
  }

  return {
    isOpen: () => mark !== 0,
    take,
    newline() {
      isFirstLine = false;
    },
    reset() {
      mark = 0;
      isFirstLine = false;
    },
  };
}
