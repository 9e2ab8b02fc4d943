/** A stream whose reader may be slower than what is put into it. */
export interface PartStream<Part> {
  readonly readable: ReadableStream<Part>;
  /** A promise means: wait for it before the next part. */
  put(parts: readonly Part[]): Promise<void> | undefined;
  close(): void;
  fail(reason: unknown): void;
}

/** @param leave called when the reader wants no more */
export function partStream<Part>(leave: () => void): PartStream<Part> {
  let wake = () => {};
  let over = false;
  let to: ReadableStreamDefaultController<Part> | undefined;
  const finish = (act: () => void) => {
    if (!over) act();
    over = true;
    wake();
  };
  const readable = new ReadableStream<Part>({
    start(controller) {
      to = controller;
    },
    pull: () => wake(),
    cancel: () => finish(leave),
  });
  return {
    readable,
    put(parts) {
      if (over) return undefined;
      for (const part of parts) to?.enqueue(part);
      if ((to?.desiredSize ?? 1) > 0) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    close: () => finish(() => to?.close()),
    fail: (reason) => finish(() => to?.error(reason)),
  };
}
