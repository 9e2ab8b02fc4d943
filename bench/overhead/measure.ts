import type { Load, Order, Report } from "../load/client.ts";
import { rssMb } from "../load/process.ts";
import type { Rig } from "../load/rig.ts";
import type { Shape } from "../load/turns.ts";
import { wrongOf } from "./wrong-answers.ts";
import type { Scene } from "./scenes.ts";
import type { Running, Target, TargetName } from "./targets.ts";

export interface Durations {
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly saturationMs: number;
  readonly rateMs: number;
}

/** What was measured, one report for each round, the same index the same round. */
export interface Measured {
  readonly scene: Scene;
  readonly saturation: ReadonlyMap<TargetName, readonly Report[]>;
  /** Empty where the scene is not timed. */
  readonly rate: ReadonlyMap<TargetName, readonly Report[]>;
  /** Requests that each has answered before the first round. */
  readonly warmedBy: ReadonlyMap<TargetName, number>;
  readonly rssMb: ReadonlyMap<TargetName, number>;
  /** Share of requests of which more was read than the new messages, where the target tells that. */
  readonly readWhole: ReadonlyMap<TargetName, number>;
}

export const PER_SECOND = 100;
/** How long the model takes at the fixed rate, before it answers: less than any real one. */
export const MODEL_MS = 5;
const RATE_WARM_UP_MS = 1_500;
const SATURATING_AGENTS = 16;
/** More than can be under way at a time, so that nobody waits for one to be free. */
const TIMED_AGENTS = 48;

/** A target that runs. */
export interface Started {
  readonly target: Target;
  readonly running: Running;
}

/** Starts what can be had, each in a fresh process. */
export async function started(rig: Rig, targets: readonly Target[]): Promise<readonly Started[]> {
  const all: Started[] = [];
  for (const target of targets) {
    const running = await target.start(rig.upstreamPort).catch(({ message }: Error) => {
      process.stderr.write(`${target.name}: ${message}\n`);
    });
    if (running) all.push({ target, running });
    else process.stderr.write(`${target.name} cannot be had here; the others go on without.\n`);
  }
  return all;
}

export async function measure(
  rig: Rig,
  targets: readonly Target[],
  scene: Scene,
  durations: Durations,
): Promise<Measured> {
  const all = await started(rig, targets);
  try {
    const answer = (delayMs: number) => rig.answer({ shape: scene.shape, delayMs, pace: scene.pace });
    await answer(0);
    const play = (one: Started, load: Load) => rig.play(order(one, scene, load));
    const warmedBy = new Map<TargetName, number>();
    for (const one of all) {
      const { answered } = await play(one, { kind: "saturation", ms: durations.warmUpMs });
      warmedBy.set(one.target.name, answered);
      // Another crew, whose connections and runs are begun.
      if (scene.isTimed) await play(one, { kind: "rate", perSecond: PER_SECOND, ms: RATE_WARM_UP_MS });
    }
    const saturation = await inRounds(all, durations.rounds, (one) =>
      play(one, { kind: "saturation", ms: durations.saturationMs }),
    );
    await answer(MODEL_MS);
    const rate = scene.isTimed
      ? await inRounds(all, durations.rounds, (one) =>
          play(one, { kind: "rate", perSecond: PER_SECOND, ms: durations.rateMs }),
        )
      : new Map();
    return { scene, saturation, rate, warmedBy, rssMb: memories(all), readWhole: await sharesReadWhole(all) };
  } finally {
    for (const { running } of all) await running.stop();
  }
}

/** All targets in each round, another one first each time. */
export async function inRounds<T>(
  all: readonly Started[],
  rounds: number,
  once: (one: Started) => Promise<T>,
): Promise<ReadonlyMap<TargetName, readonly T[]>> {
  const results = new Map<TargetName, T[]>(all.map(({ target }) => [target.name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % all.length;
    for (const one of [...all.slice(first), ...all.slice(0, first)])
      results.get(one.target.name)?.push(await once(one));
  }
  return results;
}

/** Agents at saturation and at a rate are two crews: each has its own runs to go on with. */
export function order(
  { target, running }: Started,
  { shape, stream, name }: Pick<Scene, "shape" | "stream" | "name">,
  load: Load,
): Order {
  return {
    crew: `${name} ${target.name} ${running.address.port} ${load.kind}`,
    address: running.address,
    play: { shape, stream, from: 0, to: shape.turns - 1 },
    isStaggered: true,
    agents: load.kind === "rate" ? TIMED_AGENTS : SATURATING_AGENTS,
    load,
    watched: running.pid === undefined ? [] : [running.pid],
  };
}

function memories(all: readonly Started[]): ReadonlyMap<TargetName, number> {
  const known = all.flatMap(({ target, running }) =>
    running.pid === undefined ? [] : [[target.name, rssMb(running.pid)] as const],
  );
  return new Map(known);
}

async function sharesReadWhole(all: readonly Started[]): Promise<ReadonlyMap<TargetName, number>> {
  const shares = new Map<TargetName, number>();
  for (const { target, running } of all) {
    if (!target.name.startsWith("unloop")) continue;
    const response = await fetch(`http://127.0.0.1:${running.address.port}/unloop/metrics`);
    const counted = [...(await response.text()).matchAll(/^unloop_requests_read_total\{how="(\w+)"\} (\d+)/gm)];
    const all = counted.reduce((sum, [, , count]) => sum + Number(count), 0);
    const whole = counted.find(([, how]) => how === "whole")?.[2];
    shares.set(target.name, Number(whole ?? 0) / all);
  }
  return shares;
}

export interface EventCosts {
  /** In microseconds of CPU, one value for each round. */
  readonly costs: ReadonlyMap<TargetName, readonly number[]>;
  /** Answers that were not as they should be. */
  readonly wrong: number;
}

/** What an event of a stream costs each target. */
export async function eventCosts(
  rig: Rig,
  targets: readonly Target[],
  shape: Shape,
  { rounds, warmUpMs, rateMs }: Durations,
): Promise<EventCosts> {
  const all = await started(
    rig,
    targets.filter(({ name }) => name !== "direct"),
  );
  let wrong = 0;
  const [few, many] = [20, shape.events];
  const cost = async (one: Started, events: number, ms: number): Promise<number> => {
    const of: Shape = { ...shape, events };
    // An event at a time, as models speak: together, hundreds of them cost no more than one read and one write.
    await rig.answer({ shape: of, delayMs: 0, pace: 1 });
    const load: Load = { kind: "rate", perSecond: 40, ms };
    const report = await rig.play(order(one, { shape: of, stream: true, name: `${events} events` }, load));
    wrong += wrongOf([report]);
    return ((report.cpuMs[0] ?? 0) * 1_000) / report.answered;
  };
  try {
    for (const one of all) for (const events of [few, many]) await cost(one, events, warmUpMs);
    const costs = await inRounds(all, rounds, async (one) => {
      const [dear, cheap] = [await cost(one, many, rateMs), await cost(one, few, rateMs)];
      return (dear - cheap) / (many - few);
    });
    return { costs, wrong };
  } finally {
    for (const { running } of all) await running.stop();
  }
}
