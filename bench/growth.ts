import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Order } from "./load/client.ts";
import { startRig } from "./load/rig.ts";
import { median, slope } from "./load/statistics.ts";
import type { Shape } from "./load/turns.ts";
import { over } from "./overhead/figures.ts";
import { inRounds, type Started, started } from "./overhead/measure.ts";
import { type TargetName, targets } from "./overhead/targets.ts";
import { growthText, type Grown } from "./overhead/growth-table.ts";
import { circumstances, writeUp } from "./overhead/write-up.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";

/**
 * What an exchange costs as the history that it carries grows, for servers side by side: the next turns of runs that stand
 * at so many messages, and histories of that length that were never seen before. `--rounds`, `--write` as for the overhead.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, write: { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);

const PAGE = resolve(import.meta.dirname, "../docs/overhead.md");
const COMPARED: readonly TargetName[] = ["bare", "parse", "unloop"];
const LENGTHS = [10, 30, 100, 300, 1_000];
const BYTES_PER_TURN = 5_000;
/** Turns that a run goes on from where it stands. */
const STEPS = 60;
const AGENTS = 8;
/** Histories that are new each time, of each agent: they cost much more. */
const NEW_ONES = 6;

/** A run that goes on from so many messages. */
const shapeFrom = (messages: number): Shape => ({
  name: `${messages} messages`,
  turns: messages / 2 + STEPS + 1,
  bytesPerTurn: BYTES_PER_TURN,
  events: 60,
});

const rig = await startRig();

/** CPU of an exchange, in milliseconds: of the next turns, or of a history that is new each time. */
async function cost({ target, running }: Started, messages: number, known: boolean): Promise<number> {
  const shape = shapeFrom(messages);
  const from = messages / 2 - 1;
  const of = (each: number): Order => ({
    crew: `${target.name} ${messages} ${known}`,
    address: running.address,
    play: { shape, stream: false, from, to: known ? from + STEPS : from },
    agents: AGENTS,
    isStaggered: false,
    load: { kind: "requests", each },
    watched: [running.pid ?? 0],
  });
  await rig.answer({ shape, delayMs: 0, pace: "together" });
  // The first request of a run brings a history that nobody has seen.
  if (known) await rig.play(of(1));
  const report = await rig.play(of(known ? STEPS : NEW_ONES));
  if (wrongOf([report]) > 0) throw new Error(`${target.name}: ${JSON.stringify(report.wrong)} of ${report.answered}`);
  return (report.cpuMs[0] ?? 0) / report.answered;
}

async function grown(all: readonly Started[], known: boolean): Promise<Grown> {
  const costs = new Map<TargetName, { messages: number; ms: readonly number[] }[]>();
  for (const messages of LENGTHS) {
    // Code that is still being compiled.
    for (const one of all) await cost(one, messages, known);
    const measured = await inRounds(all, rounds, (one) => cost(one, messages, known));
    for (const [name, ms] of measured) costs.set(name, [...(costs.get(name) ?? []), { messages, ms }]);
  }
  const title = known ? "Next turns of a run" : "Histories never seen before";
  const rows = [...costs].map(([name, points]) => ({
    name,
    points: points.map(({ messages, ms }) => ({ messages, ms: over(ms) })),
    slope: slope(points.map(({ messages, ms }) => [messages, median(ms)])),
  }));
  return { title, steepest: known ? 1.3 : 4, rows };
}

const all = await started(
  rig,
  targets.filter(({ name }) => COMPARED.includes(name)),
);
try {
  const text = [];
  for (const known of [true, false]) {
    text.push(growthText(await grown(all, known)));
    console.log(`${text.at(-1)}\n`);
  }
  const how = `Medians of ${rounds} interleaved rounds (least..most), ${AGENTS * STEPS} exchanges each (${AGENTS * NEW_ONES} of new histories), 2.5 KB a message.`;
  if (values.write)
    writeUp(PAGE, "growth", [circumstances("npm run bench -- growth --write", how), ...text].join("\n\n"));
} finally {
  for (const { running } of all) await running.stop();
  await rig.stop();
}
