import { parseArgs } from "node:util";
import type { Load, Report } from "./load/client.ts";
import { startRig } from "./load/rig.ts";
import { type Shape, shapes } from "./load/turns.ts";
import { over, ratio } from "./overhead/figures.ts";
import { spread, table } from "./overhead/markdown.ts";
import { type Running, startUnloopReplicas } from "./overhead/targets.ts";
import { wrongOf, wrongText } from "./overhead/wrong-answers.ts";

/**
 * What it costs when replicas take turns in each run, as behind a balancer that knows nothing of sessions, beside one replica that
 * has it to itself, in interleaved rounds: at a fixed rate, and at saturation, where each of `--agents 64` plays a whole run of
 * `--turns 40`. CPU is that of all replicas together, which share a core. `--count 2` replicas. Linux only.
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    agents: { type: "string", default: "64" },
    turns: { type: "string", default: "40" },
  },
});
/** For each replica, on the core that all share, at saturation: one that is not warm spends on compiling what is to be compared. */
const WARM_UP_MS = 10_000;
const PER_SECOND = 100;
const rate: Load = { kind: "rate", perSecond: PER_SECOND, ms: 2_000 };
const MOST = 1.5;
const shape: Shape = { ...shapes.large, turns: Number(values.turns) };
const wholeRuns: Load = { kind: "requests", each: shape.turns };

interface Row {
  readonly name: string;
  readonly running: readonly Running[];
  readonly atRate: Report[];
  readonly saturated: Report[];
}

const row = (name: string, running: readonly Running[]): Row => {
  return { name, running, atRate: [], saturated: [] };
};

const rig = await startRig();
const alone = await startUnloopReplicas(rig.upstreamPort, 1);
const together = await startUnloopReplicas(rig.upstreamPort, Number(values.count));

/** Whole runs have a crew of their own, whose agents all begin with the first turn. */
async function played({ name, running }: Row, load: Load): Promise<Report> {
  const [first, ...others] = running.map(({ address }) => address);
  if (first === undefined) throw new Error("There is no replica.");
  return rig.play({
    crew: `${name} ${load.kind === "requests"}`,
    address: { ...first, others: others.map(({ port }) => port) },
    play: { shape, stream: false, from: 0, to: shape.turns - 1 },
    isStaggered: load.kind !== "requests",
    agents: Number(values.agents),
    load,
    watched: running.flatMap(({ pid }) => pid ?? []),
  });
}

async function round(one: Row): Promise<void> {
  one.atRate.push(await played(one, rate));
  one.saturated.push(await played(one, wholeRuns));
}

const costs = (reports: readonly Report[]): readonly number[] =>
  reports.map(({ cpuMs, answered }) => cpuMs.reduce((sum, one) => sum + one, 0) / answered);

function cells({ name, atRate, saturated }: Row, first: Row): readonly string[] {
  const cpu = (own: readonly Report[], others: readonly Report[]) => [
    spread(over(costs(own)), 2),
    spread(ratio(costs(own), costs(others)), 2),
  ];
  return [
    name,
    ...cpu(atRate, first.atRate),
    ...cpu(saturated, first.saturated),
    spread(over(saturated.map(({ answered, ms }) => (answered * 1_000) / ms)), 0),
    wrongText([...atRate, ...saturated]),
  ];
}

const HEAD = [
  "",
  `CPU a request at ${PER_SECOND}/s, ms`,
  "/ one replica",
  "CPU a request at saturation, ms",
  "/ one replica",
  "requests/s",
  "wrong",
];

try {
  await rig.answer({ shape, delayMs: 0, pace: "together" });
  const first = row("one replica", alone.running);
  const rows = [first, row(`${together.running.length} replicas in turn`, together.running)];
  for (const one of rows) await played(one, { kind: "saturation", ms: WARM_UP_MS * one.running.length });
  for (let index = 0; index < Number(values.rounds); index += 1) for (const one of rows) await round(one);
  const requests = Number(values.agents) * shape.turns;
  console.log(`${values.agents} agents with a run of ${shape.turns} turns each: ${requests} requests a round.\n`);
  console.log(
    table(
      HEAD,
      rows.map((one) => cells(one, first)),
    ),
  );
  const { median } = ratio(costs(rows[1]?.atRate ?? []), costs(first.atRate));
  console.log(`\nTarget: at most ${MOST} at ${PER_SECOND}/s. ${median <= MOST ? "Met." : "Missed."}`);
  if (wrongOf(rows.flatMap(({ atRate, saturated }) => [...atRate, ...saturated])) > 0) process.exitCode = 1;
} finally {
  await alone.stop();
  await together.stop();
  await rig.stop();
}
