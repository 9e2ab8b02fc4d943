/** Others that wait for the processor come first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Long work: it yields where others may have their turn. */
export type Pieces<Result> = Generator<undefined, Result>;

export function atOnce<Result>(pieces: Pieces<Result>): Result {
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

export async function inTurns<Result>(pieces: Pieces<Result>): Promise<Result> {
  let piece = pieces.next();
  for (; piece.done !== true; piece = pieces.next()) await turn();
  return piece.value;
}
