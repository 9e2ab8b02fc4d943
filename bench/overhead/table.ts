import { added, type Figure, held, throughput } from "./figures.ts";
import { afterLoad, MODEL_MS, type Measured, PER_SECOND } from "./measure.ts";
import { spread, table } from "../report/markdown.ts";
import { type TargetName, targets } from "./targets.ts";

/** Below this share of its core a target had to wait for others. */
const FULL = 0.95;

/** All figures of one scene, after each of its loads. */
export function sceneText(stages: readonly Measured[]): string {
  const { title, isTimed, heldPerSecond } = (stages[0] as Measured).scene;
  const parts = [`### ${title}`, tableOf(stages, THROUGHPUT_HEAD, throughputCells)];
  if (heldPerSecond !== undefined)
    parts.push(`At ${heldPerSecond} requests a second, ${OF_MODEL}:`, tableOf(stages, HELD_HEAD, heldCells));
  if (isTimed)
    parts.push(
      `At ${PER_SECOND} requests a second, ${OF_MODEL}, in milliseconds:`,
      tableOf(stages, TIME_HEAD, timeCells),
    );
  return parts.join("\n\n");
}

const OF_MODEL = `of a model that takes ${MODEL_MS} ms`;

type Cells = (measured: Measured, name: TargetName) => readonly string[] | undefined;

function tableOf(stages: readonly Measured[], head: readonly string[], cellsOf: Cells): string {
  const rows = stages.flatMap((measured) =>
    targets.flatMap(({ name, title }) => {
      const cells = cellsOf(measured, name);
      return cells === undefined ? [] : [[afterLoad(title, measured), ...cells]];
    }),
  );
  return table(["target", ...head], rows);
}

const before = (measured: Measured, rounds: keyof Measured["before"], name: TargetName): string =>
  String(measured.before[rounds].get(name) ?? "-");

const THROUGHPUT_HEAD = [
  "req/s",
  "share of its core",
  "CPU a request, ms",
  "per CPU / bare",
  "requests before",
  "RSS, MB",
  "wrong",
];

const throughputCells: Cells = (measured, name) => {
  const figures = throughput(measured, name);
  if (figures === undefined) return undefined;
  const { perSecond, busy, cpuMs, toBare, wrong } = figures;
  if (name === "direct") return [spread(perSecond, 0), "-", "-", "-", "-", "-", wrong];
  const share = `${(100 * busy.median).toFixed(0)} %${busy.median < FULL ? " ¹" : ""}`;
  const rss = measured.rssMb.get(name)?.toFixed(0) ?? "-";
  const requests = before(measured, "saturation", name);
  return [spread(perSecond, 0), share, spread(cpuMs, 3), spread(toBare, 3), requests, rss, wrong];
};

const HELD_HEAD = ["CPU a request, ms", "per CPU / bare", "per CPU / bare at saturation", "requests before", "wrong"];

const heldCells: Cells = (measured, name) => {
  const figures = name === "direct" ? undefined : held(measured, name);
  if (figures === undefined) return undefined;
  const { cpuMs, toBare, isHeld, wrong } = figures;
  const saturated = throughput(measured, name)?.toBare;
  return [
    `${spread(cpuMs, 3)}${isHeld ? "" : " ²"}`,
    spread(toBare, 3),
    saturated === undefined ? "-" : spread(saturated, 3),
    before(measured, "held", name),
    wrong,
  ];
};

const TIME_HEAD = [
  "added p50",
  "added p99",
  "first byte added, p50",
  "added p50 / bare",
  "added p99 / bare",
  "requests before",
  "wrong",
];

const timeCells: Cells = (measured, name) => {
  const times = name === "direct" ? undefined : added(measured, name);
  if (times === undefined) return undefined;
  const { p50, p99, first, p50ToBare, p99ToBare, wrong } = times;
  const figures = [spread(p50, 3), spread(p99, 2), spread(first, 3), spread(p50ToBare, 2), spread(p99ToBare, 2)];
  return [...figures, before(measured, "rate", name), wrong];
};

/** Everything side by side: a row for each figure of each scene, a column for each target. */
export function overviewText(all: readonly Measured[]): string {
  const shown = targets.filter(({ name }) => name !== "direct" && all.some(({ saturation }) => saturation.has(name)));
  const rows = all.flatMap((measured) => {
    const { scene } = measured;
    const name = afterLoad(scene.name, measured);
    const row = (what: string, figure: (name: TargetName) => Figure | undefined): string[][] => {
      const cells = shown.map((target) => figure(target.name)?.median.toFixed(2) ?? "-");
      return cells.every((cell) => cell === "-") ? [] : [[`${name}: ${what}`, ...cells]];
    };
    const first = (target: TargetName) => (scene.stream ? added(measured, target)?.first : undefined);
    return [
      ...row("requests per CPU / bare", (target) => throughput(measured, target)?.toBare),
      ...row(`the same at ${scene.heldPerSecond}/s`, (target) => held(measured, target)?.toBare),
      ...row("added p50 / bare", (target) => added(measured, target)?.p50ToBare),
      ...row("first event added, ms", first),
    ];
  });
  return `### Side by side\n\n${table(["figure", ...shown.map(({ title }) => title)], rows)}`;
}
