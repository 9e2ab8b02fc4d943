import type { Load, Order, Report } from "../load/client.ts";
import { rssMb } from "../load/process.ts";
import type { Rig } from "../load/rig.ts";
import type { Scene } from "./scenes.ts";
import type { Running, Target, TargetName } from "./targets.ts";

export interface Durations {
  readonly rounds: number;
  readonly warmUpMs: number;
  /** Of the load before the rounds that a scene has once more; 0: it has none. */
  readonly longLoadMs: number;
  readonly saturationMs: number;
  readonly rateMs: number;
}

/** What was measured after one load, one report for each round, the same index the same round. */
export interface Measured {
  readonly scene: Scene;
  readonly loadMs: number;
  /** The scene was measured before, after a shorter load. */
  readonly isAgain: boolean;
  readonly saturation: ReadonlyMap<TargetName, readonly Report[]>;
  /** At the rate that all can hold. Empty where the scene has none. */
  readonly held: ReadonlyMap<TargetName, readonly Report[]>;
  /** Empty where the scene is not timed. */
  readonly rate: ReadonlyMap<TargetName, readonly Report[]>;
  /** Requests that each has answered before the first of these rounds. */
  readonly before: Readonly<Record<"saturation" | "held" | "rate", ReadonlyMap<TargetName, number>>>;
  readonly rssMb: ReadonlyMap<TargetName, number>;
}

/** Says after what load it was, if not the usual one. */
export const afterLoad = (title: string, { loadMs, isAgain }: Measured): string =>
  isAgain ? `${title}, after ${loadMs / 1_000} s of load` : title;

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

/** V8 compiles them while they run; the others are no faster after a longer load. */
const COMPILED: ReadonlySet<TargetName> = new Set(["direct", "bare", "parse", "unloop", "unloop-redis", "portkey"]);

/** One scene: after the usual load, and after a long one where it has that. */
export async function measure(
  rig: Rig,
  targets: readonly Target[],
  scene: Scene,
  durations: Durations,
): Promise<readonly Measured[]> {
  const all = await started(rig, targets);
  const answered = new Map<TargetName, number>(targets.map(({ name }) => [name, 0]));
  const play = async (one: Started, load: Load) => {
    const report = await rig.play(order(one, scene, load));
    answered.set(one.target.name, (answered.get(one.target.name) ?? 0) + report.answered);
    return report;
  };
  const stage = { rig, scene, durations, play, answered };
  try {
    const usual = await measureAfter(durations.warmUpMs, all, stage);
    if (scene.heldPerSecond === undefined || durations.longLoadMs === 0) return [usual];
    const compiled = all.filter(({ target }) => COMPILED.has(target.name));
    return [usual, await measureAfter(durations.longLoadMs, compiled, stage)];
  } finally {
    for (const { running } of all) await running.stop();
  }
}

interface Stage {
  readonly rig: Rig;
  readonly scene: Scene;
  readonly durations: Durations;
  /** What has been answered since the start is counted. */
  play(one: Started, load: Load): Promise<Report>;
  readonly answered: ReadonlyMap<TargetName, number>;
}

async function measureAfter(loadMs: number, all: readonly Started[], stage: Stage): Promise<Measured> {
  const { rig, scene, durations, play, answered } = stage;
  const { rounds, warmUpMs, saturationMs, rateMs } = durations;
  const answer = (delayMs: number) => rig.answer({ shape: scene.shape, delayMs, pace: scene.pace });
  const atRate = (perSecond: number | undefined) =>
    perSecond === undefined
      ? new Map<TargetName, readonly Report[]>()
      : inRounds(all, rounds, (one) => play(one, { kind: "rate", perSecond, ms: rateMs }));
  await answer(0);
  for (const one of all) {
    // Load and model are warm by the long one. In parts, for all times of each are told.
    const ownMs = one.running.pid === undefined ? warmUpMs : loadMs;
    for (let ms = 0; ms < ownMs; ms += warmUpMs) await play(one, { kind: "saturation", ms: warmUpMs });
    // Another crew, whose connections and runs are begun.
    if (scene.isTimed) await play(one, { kind: "rate", perSecond: PER_SECOND, ms: RATE_WARM_UP_MS });
  }
  const beforeSaturation = new Map(answered);
  const saturation = await inRounds(all, rounds, (one) => play(one, { kind: "saturation", ms: saturationMs }));
  await answer(MODEL_MS);
  const beforeHeld = new Map(answered);
  const held = await atRate(scene.heldPerSecond);
  const beforeRate = new Map(answered);
  const rate = await atRate(scene.isTimed ? PER_SECOND : undefined);
  return {
    scene,
    loadMs,
    isAgain: loadMs > warmUpMs,
    saturation,
    held,
    rate,
    before: { saturation: beforeSaturation, held: beforeHeld, rate: beforeRate },
    rssMb: memories(all),
  };
}

/** All targets in each round, another one first each time. */
async function inRounds<T>(
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
