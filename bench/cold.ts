import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { liveRateText, type Row } from "./cold/live-rate.ts";
import type { Load } from "./load/client.ts";
import { cpuMs } from "./load/process.ts";
import { startRig } from "./load/rig.ts";
import { shapes } from "./load/turns.ts";
import { over, ratio } from "./overhead/figures.ts";
import { spread, table } from "./report/markdown.ts";
import { order } from "./overhead/measure.ts";
import { type How, targetNamed } from "./overhead/targets.ts";
import { circumstances, writeUp } from "./report/write-up.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";

/**
 * What the first requests cost that a fresh process gets, from one agent, for servers side by side. `--rounds`, `--write` as for the
 * overhead; `--seconds 120` of each round at five requests a second, 0: none; `--requests 5000` in all; `--with="--always-sparkplug"`
 * adds a row of Unloop with these flags of node and variables, and may be given several times.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "120" },
    requests: { type: "string", default: "5000" },
    with: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "bare,parse,unloop,unloop-redis" },
    write: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const ms = Number(values.seconds) * 1_000;

const PAGE = resolve(import.meta.dirname, "../docs/overhead.md");
const shape = shapes.small;

interface Phase {
  readonly title: string;
  readonly load: Load;
}

const phase = (title: string, each: number): Phase => ({ title, load: { kind: "requests", each } });
/** Of one process after the other. */
const busy = [phase("requests 1 to 50", 50), phase("51 to 500", 450), phase("501 to 5,000", 4_500)].slice(
  0,
  String(values.requests).length - 1,
);

function howIn(text: string): How {
  const words = text.split(" ");
  const isFlag = (word: string) => word.startsWith("-");
  const env = words.filter((word) => !isFlag(word)).map((word) => word.split("=", 2));
  return { flags: words.filter(isFlag), env: Object.fromEntries(env) };
}

const rows: readonly Row[] = [
  ...values.only.split(",").map((name) => ({ ...targetNamed(name), how: {} })),
  ...values.with.map((how) => ({
    ...targetNamed("unloop"),
    title: `**Unloop**, memory store, \`${how}\``,
    how: howIn(how),
  })),
];

const rig = await startRig();

/** Of a process that has just been started. CPU in milliseconds: until it listens, then of a request in each phase. */
async function costs({ how, ...target }: Row, phases: readonly Phase[]): Promise<readonly number[]> {
  const running = await target.start(rig.upstreamPort, how);
  if (running?.pid === undefined) throw new Error(`${target.name} cannot be had here.`);
  const measured = [cpuMs(running.pid)];
  try {
    for (const { load } of phases) {
      const usual = order({ target, running }, { shape, stream: false, name: "cold" }, load);
      const report = await rig.play({ ...usual, agents: 1, isStaggered: false });
      if (wrongOf([report]) > 0) throw new Error(`${target.name}: ${JSON.stringify(report.wrong)}`);
      measured.push((report.cpuMs[0] ?? 0) / report.answered);
    }
  } finally {
    await running.stop();
  }
  return measured;
}

/** Every row in each round, another one first each time; one figure for each round, by row and phase. */
async function measured(phases: readonly Phase[]): Promise<readonly (readonly (readonly number[])[])[]> {
  const all = rows.map(() => ["start", ...phases].map((): number[] => []));
  for (let round = 0; round < rounds; round += 1)
    for (let at = 0; at < rows.length; at += 1) {
      const index = (at + round) % rows.length;
      const spent = await costs(rows[index] as Row, phases);
      for (const [one, cost] of spent.entries()) all[index]?.[one]?.push(cost);
    }
  return all;
}

/** @param all of the phases that are told, by row, phase and round */
function text(titles: readonly string[], all: readonly (readonly (readonly number[])[])[]): string {
  const bare = all[rows.findIndex(({ name }) => name === "bare")];
  const cells = rows.map(({ title }, row) => [
    title,
    ...titles.flatMap((_, index) => {
      const own = all[row]?.[index] ?? [];
      return [spread(over(own), 2), spread(ratio(own, bare?.[index] ?? []), 1)];
    }),
  ]);
  return table(["target", ...titles.flatMap((title) => [`${title}, ms`, "/ bare"])], cells);
}

try {
  await rig.answer({ shape, delayMs: 0, pace: "together" });
  const parts = [text(["start", ...busy.map(({ title }) => title)], await measured(busy))];
  console.log(`${parts[0]}\n`);
  if (ms > 0) {
    parts.push(await liveRateText(rig, rows, rounds, ms));
    console.log(parts[1]);
  }
  const how = `Medians of ${rounds} interleaved rounds (least..most), a fresh process for each figure, ${shape.name}, JSON, one agent. The start is that of the process until it is ready, in CPU.`;
  if (values.write) writeUp(PAGE, "cold", [circumstances(how), ...parts].join("\n\n"));
} finally {
  await rig.stop();
}
