import { setTimeout as pause } from "node:timers/promises";
import type { Load, Report } from "../load/client.ts";
import type { Rig } from "../load/rig.ts";
import { shapes } from "../load/turns.ts";
import { addedTo, cpuPerRequest, over, ratio } from "../overhead/figures.ts";
import { spread, table } from "../report/markdown.ts";
import { MODEL_MS, order, type Started } from "../overhead/measure.ts";
import { type How, type Target, targetNamed } from "../overhead/targets.ts";
import { wrongText } from "../overhead/wrong-answers.ts";

/** A target, and what else it is started with. */
export interface Row extends Target {
  readonly how: How;
}

const PER_SECOND = 5;
const shape = shapes.small;

/**
 * What requests cost and how late they come at the rate at which agents live: fresh processes of all rows at once on one core, each with
 * requests of its own that are due between those of the others.
 * @param rows beside which asking the model directly takes part @param ms of each round
 */
export async function liveRateText(rig: Rig, rows: readonly Row[], rounds: number, ms: number): Promise<string> {
  const direct: Row = { ...targetNamed("direct"), how: {} };
  const all = [direct, ...rows];
  const reports = new Map<Row, Report[]>(all.map((row) => [row, []]));
  await rig.answer({ shape, delayMs: MODEL_MS, pace: "together" });
  for (let round = 0; round < rounds; round += 1)
    for (const [row, report] of await played(rig, all, ms)) reports.get(row)?.push(report);
  const of = (row: Row | undefined) => (row === undefined ? [] : (reports.get(row) ?? []));
  const bare = of(rows.find(({ name }) => name === "bare"));
  const cells = rows.map((row) => {
    const own = of(row);
    const [cpu, times] = [cpuPerRequest(own), addedTo(own, { direct: of(direct), bare })];
    const figures = [spread(over(cpu), 2), spread(ratio(cpu, cpuPerRequest(bare)), 1)];
    const late = [spread(times.p50, 2), spread(times.p50ToBare, 1), spread(times.p99, 1), spread(times.p99ToBare, 1)];
    return [row.title, ...figures, ...late, wrongText(own)];
  });
  const head = ["target", "CPU a request, ms", "/ bare", "added p50, ms", "/ bare", "added p99, ms", "/ bare", "wrong"];
  const count = (PER_SECOND * ms) / 1_000;
  const title = `${PER_SECOND} requests a second for ${ms / 1_000} s (${count} of each process), all side by side on one core, of a model that takes ${MODEL_MS} ms:`;
  return `${title}\n\n${table(head, cells)}`;
}

/** One round, of processes that have just been started. */
async function played(rig: Rig, rows: readonly Row[], ms: number): Promise<readonly (readonly [Row, Report])[]> {
  const load: Load = { kind: "rate", perSecond: PER_SECOND, ms };
  const all: (Started & { readonly row: Row })[] = [];
  try {
    for (const row of rows) {
      const running = await row.start(rig.upstreamPort, row.how);
      if (running === undefined) throw new Error(`${row.name} cannot be had here.`);
      all.push({ target: row, row, running });
    }
    const reports = all.map(async (one, index) => {
      await pause((index * 1_000) / PER_SECOND / all.length);
      const usual = order(one, { shape, stream: false, name: "live rate" }, load);
      return [one.row, await rig.play({ ...usual, agents: 1, isStaggered: false })] as const;
    });
    return await Promise.all(reports);
  } finally {
    for (const { running } of all) await running.stop();
  }
}
