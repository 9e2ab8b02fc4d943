/** Others that wait for the processor come first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Runs work of which others have their turn behind each so many pieces. */
export async function inTurns<Result>(work: Generator<unknown, Result>, pieces: number): Promise<Result> {
  for (let count = 1; ; count++) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (count % pieces === 0) await turn();
  }
}
