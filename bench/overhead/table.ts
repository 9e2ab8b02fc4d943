import { added, over, ratio, throughput } from "./figures.ts";
import { MODEL_MS, type Measured, PER_SECOND } from "./measure.ts";
import { spread, table } from "./markdown.ts";
import type { Promised } from "./promises.ts";
import { type TargetName, targets } from "./targets.ts";

/** Below this share of its core a target had to wait for others. */
const FULL = 0.95;

/** All figures of one scene. */
export function sceneText(measured: Measured): string {
  const parts = [`### ${measured.scene.title}`, throughputTable(measured)];
  if (measured.scene.isTimed)
    parts.push(
      `At ${PER_SECOND} requests a second, of a model that takes ${MODEL_MS} ms, in milliseconds:`,
      timeTable(measured),
    );
  return parts.join("\n\n");
}

const THROUGHPUT_HEAD = [
  "target",
  "req/s",
  "share of its core",
  "CPU a request, ms",
  "per CPU / bare",
  "requests before",
  "RSS, MB",
  "read whole",
  "wrong",
];

function throughputTable(measured: Measured): string {
  const rows = targets.flatMap(({ name, title }) => {
    const figures = throughput(measured, name);
    if (figures === undefined) return [];
    const { perSecond, busy, cpuMs, toBare, wrong } = figures;
    if (name === "direct") return [[title, spread(perSecond, 0), "-", "-", "-", "-", "-", "-", wrong]];
    const share = `${(100 * busy.median).toFixed(0)} %${busy.median < FULL ? " ¹" : ""}`;
    const before = String(measured.warmedBy.get(name) ?? "-");
    const rss = measured.rssMb.get(name)?.toFixed(0) ?? "-";
    const whole = measured.readWhole.get(name);
    const readWhole = whole === undefined ? "-" : `${(100 * whole).toFixed(0)} %`;
    return [[title, spread(perSecond, 0), share, spread(cpuMs, 3), spread(toBare, 3), before, rss, readWhole, wrong]];
  });
  return table(THROUGHPUT_HEAD, rows);
}

const TIME_HEAD = [
  "target",
  "added p50",
  "added p99",
  "first byte added, p50",
  "added p50 / bare",
  "added p99 / bare",
  "wrong",
];

function timeTable(measured: Measured): string {
  const rows = targets.flatMap(({ name, title }) => {
    const times = name === "direct" ? undefined : added(measured, name);
    if (times === undefined) return [];
    const { p50, p99, first, p50ToBare, p99ToBare, wrong } = times;
    return [
      [title, spread(p50, 3), spread(p99, 2), spread(first, 3), spread(p50ToBare, 2), spread(p99ToBare, 2), wrong],
    ];
  });
  return table(TIME_HEAD, rows);
}

export function eventsText(costs: ReadonlyMap<TargetName, readonly number[]>): string {
  const bare = costs.get("bare") ?? [];
  const rows = targets.flatMap(({ name, title }) => {
    const own = costs.get(name);
    return own === undefined ? [] : [[title, spread(over(own), 1), spread(ratio(own, bare), 2)]];
  });
  return `### A streamed event\n\n${table(["target", "CPU an event, µs", "/ bare"], rows)}`;
}

export function promisesText(rows: readonly Promised[]): string {
  const cells = rows.map(({ what, limit, measured, digits, isMet }) => [
    what,
    limit,
    spread(measured, digits),
    isMet === undefined ? "not reported: noise" : isMet ? "yes" : "**no**",
  ]);
  return `### Targets\n\n${table(["what", "target", "measured", "met"], cells)}`;
}

/** Everything side by side: of each scene the throughput, and of the timed ones what they add. */
export function overviewText(all: readonly Measured[]): string {
  const timed = all.filter(({ scene }) => scene.isTimed);
  const head = [
    "target",
    ...all.map(({ scene }) => `${scene.name}: requests per CPU / bare`),
    ...timed.map(({ scene }) => `${scene.name}: added p50 / bare`),
    ...timed.filter(({ scene }) => scene.stream).map(({ scene }) => `${scene.name}: first event added, ms`),
  ];
  const rows = targets
    .filter(({ name }) => name !== "direct" && all.some(({ saturation }) => saturation.has(name)))
    .map(({ name, title }) => [
      title,
      ...all.map((one) => throughput(one, name)?.toBare.median.toFixed(2) ?? "-"),
      ...timed.map((one) => added(one, name)?.p50ToBare.median.toFixed(2) ?? "-"),
      ...timed.filter(({ scene }) => scene.stream).map((one) => added(one, name)?.first.median.toFixed(2) ?? "-"),
    ]);
  return `### Side by side\n\n${table(head, rows)}`;
}
