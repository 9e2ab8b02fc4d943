// Loaded before a server whose memory is read: at SIGUSR2 it collects all garbage and adds a line to the file that this
// module's own address names (`?to=`). Wants `--expose-gc`.
import { appendFileSync } from "node:fs";

const to = new URL(import.meta.url).searchParams.get("to");

process.on("SIGUSR2", () => {
  globalThis.gc();
  // What the first collection found finalisers for is free after the second.
  setImmediate(() => {
    globalThis.gc();
    appendFileSync(to, `${JSON.stringify(process.memoryUsage())}\n`);
  });
});
