import { closeSync, constants, openSync, readSync } from "node:fs";

/** More than any file of settings, tokens or a secret has. A device has no end. In bytes. */
const MAX_BYTES = 16_000_000;
/** A program that writes to a pipe may take so long, with all of it. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

/**
 * The text of a file, or of a pipe such as `<(command)`, which has it once. Blocks, at most as long as a pipe may take.
 * @throws what the operating system says, or an Error that tells in words which bound it passed
 */
export function boundedText(path: string): string {
  // A pipe that nobody writes to would not even open otherwise.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    const deadline = performance.now() + PATIENCE_MS;
    for (let size = 0; size <= MAX_BYTES; ) {
      const piece = nextPiece(file);
      if (piece?.length === 0) return Buffer.concat(pieces).toString("utf8");
      if (performance.now() > deadline) throw new Error(`it has not ended within ${PATIENCE_MS / 1_000} s`);
      if (piece === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      else pieces.push(piece);
      size += piece?.length ?? 0;
    }
    throw new Error(`it has more than ${MAX_BYTES / 1_000_000} MB`);
  } finally {
    closeSync(file);
  }
}

/** Empty at the end; undefined where a pipe has nothing yet. */
function nextPiece(file: number): Buffer | undefined {
  const piece = Buffer.allocUnsafe(65_536);
  try {
    return piece.subarray(0, readSync(file, piece));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}
