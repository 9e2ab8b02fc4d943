import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseArgs } from "node:util";
import { aborting } from "../test/support/servers/aborting.ts";

/**
 * Whether clients that leave in the middle leave anything behind: the heap after every tenth of `--count` exchanges, half
 * of them left while a call is held, half during the second question. Exits with 1 when it grows.
 */
const { values } = parseArgs({ options: { count: { type: "string", default: "10000" } } });
const count = Number(values.count);
const together = 20;
/** More than this between an early and the last reading is growth. In MB. */
const allowed = 3;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapMb(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const guard = await aborting();
const readings: number[] = [];
const start = performance.now();
for (let tenth = 1; tenth <= 10; tenth++) {
  for (let done = 0; done < count / 10; done += together) {
    const ways = Array.from({ length: together }, (_, i) => (i % 2 === 0 ? "held" : "asked again"));
    await Promise.all(ways.map((way) => guard.exchange(way === "held" ? "held" : "asked again")));
  }
  readings.push(heapMb());
  console.log(`${String((count / 10) * tenth).padStart(6)} exchanges  ${readings.at(-1)?.toFixed(2)} MB`);
}
const { asked, open } = guard.upstream();
const grown = (readings.at(-1) ?? 0) - (readings[1] ?? 0);
const perSecond = Math.round(count / ((performance.now() - start) / 1_000));
console.log(
  `${asked} requests upstream, ${open} still open; ${grown.toFixed(2)} MB more at the end; ${perSecond} a second`,
);
await guard.close();
if (open > 0 || grown > allowed) process.exitCode = 1;
