import { parseArgs } from "node:util";
import type { Load } from "./load/client.ts";
import { startRig } from "./load/rig.ts";
import { shapes } from "./load/turns.ts";
import { over, ratio } from "./overhead/figures.ts";
import { type Running, startUnloopReplicas } from "./overhead/targets.ts";

/**
 * What it costs when replicas take turns in each run, as behind a balancer that knows nothing of sessions, beside one replica that
 * has it to itself: CPU a request, of all replicas together, in interleaved rounds. `--count 2` replicas. Linux only.
 */
const { values } = parseArgs({
  options: { count: { type: "string", default: "2" }, rounds: { type: "string", default: "5" } },
});
/** For each replica, on the core that all share, at saturation: one that is not warm spends on compiling what is to be compared. */
const WARM_UP_MS = 10_000;
const ROUND_MS = 2_000;
const PER_SECOND = 100;
const measured: Load = { kind: "rate", perSecond: PER_SECOND, ms: ROUND_MS };
const AGENTS = 16;
const MOST = 1.5;

const rig = await startRig();
const alone = await startUnloopReplicas(rig.upstreamPort, 1);
const together = await startUnloopReplicas(rig.upstreamPort, Number(values.count));

async function cpuPerRequest(name: string, running: readonly Running[], load: Load): Promise<number> {
  const [first, ...others] = running.map(({ address }) => address);
  if (first === undefined) throw new Error("There is no replica.");
  const report = await rig.play({
    crew: name,
    address: { ...first, others: others.map(({ port }) => port) },
    play: { shape: shapes.large, stream: false, from: 0, to: shapes.large.turns - 1 },
    isStaggered: true,
    agents: AGENTS,
    load,
    watched: running.flatMap(({ pid }) => pid ?? []),
  });
  for (const [kind, count] of Object.entries(report.wrong)) {
    console.log(`${name}: ${count} answers were wrong: ${kind}`);
    process.exitCode = 1;
  }
  return report.cpuMs.reduce((sum, one) => sum + one, 0) / report.answered;
}

try {
  await rig.answer({ shape: shapes.large, delayMs: 0, pace: "together" });
  const rows = [
    { name: "one replica", running: alone.running, costs: [] as number[] },
    { name: `${together.running.length} replicas in turn`, running: together.running, costs: [] as number[] },
  ];
  for (const { name, running } of rows)
    await cpuPerRequest(name, running, { kind: "saturation", ms: WARM_UP_MS * running.length });
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const { name, running, costs } of rows) costs.push(await cpuPerRequest(name, running, measured));
  console.log("| | CPU a request, ms | / one replica\n|---|---|---");
  for (const { name, costs } of rows) {
    const [own, more] = [over(costs), ratio(costs, rows[0]?.costs ?? [])];
    const figures = [own, more].map(({ median, min, max }) => [median, min, max].map((one) => one.toFixed(2)));
    const cells = figures.map(([median, min, max]) => `${median} (${min}..${max})`);
    console.log(`| ${name} | ${cells.join(" | ")}`);
  }
  const { median } = ratio(rows[1]?.costs ?? [], rows[0]?.costs ?? []);
  console.log(`\nTarget: at most ${MOST}. ${median <= MOST ? "Met." : "Missed."}`);
} finally {
  await alone.stop();
  await together.stop();
  await rig.stop();
}
