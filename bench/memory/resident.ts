import type { Order } from "../load/client.ts";
import { rssMb } from "../load/process.ts";
import { type Rig, startRig } from "../load/rig.ts";
import { wrongOf } from "../overhead/wrong-answers.ts";
import { started } from "../overhead/measure.ts";
import { type Scene, scenes } from "../overhead/scenes.ts";
import { type Running, type Target, type TargetName, targets } from "../overhead/targets.ts";
import { type Reading, readings } from "../readings/readings.ts";

/** Resident memory of a server under load, and at its end without garbage. */
export interface Resident {
  readonly name: TargetName;
  /** In megabytes, in equal steps from the start on. */
  readonly rssMb: readonly number[];
  readonly collected: Reading;
}

export interface LoadOptions {
  readonly minutes: number;
  readonly perSecond: number;
}

const COMPARED: readonly TargetName[] = ["bare", "unloop"];
const AGENTS = 48;
/** How long each kind of traffic lasts before the next one's turn. */
const SCENE_MS = 2_500;

/** The same load for each server at the same time, from a load generator and a model of its own. */
export function residents(options: LoadOptions): Promise<readonly Resident[]> {
  return Promise.all(targets.filter(({ name }) => COMPARED.includes(name)).map((target) => resident(target, options)));
}

async function resident(target: Target, { minutes, perSecond }: LoadOptions): Promise<Resident> {
  const rig = await startRig();
  const reader = readings();
  try {
    const [one] = await started(rig, [{ ...target, start: (port) => target.start(port, { flags: reader.flags }) }]);
    if (one?.running.pid === undefined) throw new Error(`${target.name} cannot be measured.`);
    const { running } = one;
    try {
      const rss = await underLoad(rig, running, { minutes, perSecond });
      return { name: target.name, rssMb: rss, collected: await reader.read(running.pid ?? 0) };
    } finally {
      await running.stop();
    }
  } finally {
    await rig.stop();
    reader.end();
  }
}

async function underLoad(rig: Rig, running: Running, { minutes, perSecond }: LoadOptions): Promise<readonly number[]> {
  const until = performance.now() + minutes * 60_000;
  const rss = [rssMb(running.pid ?? 0)];
  while (performance.now() < until) {
    for (const scene of scenes) {
      await rig.answer({ shape: scene.shape, delayMs: 0, pace: scene.pace });
      const report = await rig.play(orderFor(scene, running, perSecond));
      if (wrongOf([report]) > 0) throw new Error(`${JSON.stringify(report.wrong)} of ${report.answered} answers`);
    }
    rss.push(rssMb(running.pid ?? 0));
  }
  return rss;
}

function orderFor({ name, shape, stream }: Scene, { address }: Running, perSecond: number): Order {
  return {
    crew: name,
    address,
    play: { shape, stream, from: 0, to: shape.turns - 1 },
    agents: AGENTS,
    isStaggered: true,
    load: { kind: "rate", perSecond, ms: SCENE_MS },
    watched: [],
  };
}
