import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rig } from "../load/rig.ts";
import { order } from "./measure.ts";
import type { Scene } from "./scenes.ts";
import type { Target } from "./targets.ts";

/** What V8 writes with `--cpu-prof`, as far as it is read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const SHOWN = 30;

/** Where a target's time goes under one scene at saturation: its own time by function, and by file. */
export async function profiled(rig: Rig, target: Target, scene: Scene, ms: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "unloop-profile-"));
  try {
    const running = await target.start(rig.upstreamPort, { flags: ["--cpu-prof", `--cpu-prof-dir=${folder}`] });
    if (running === undefined) return `${target.name} cannot be had here.`;
    await rig.answer({ shape: scene.shape, delayMs: 0, pace: scene.pace });
    const report = await rig.play(order({ target, running }, scene, { kind: "saturation", ms }));
    await running.stop();
    const files = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"));
    const texts = files.map((name) => read(JSON.parse(readFileSync(join(folder, name), "utf8"))));
    return [`${target.name}, ${scene.title}: ${report.answered} requests`, ...texts].join("\n\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read({ nodes, samples, timeDeltas }: Profile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [functions, files] = [new Map<string, number>(), new Map<string, number>()];
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const { functionName = "", url = "", lineNumber = 0 } = frames.get(id) ?? {};
    // Nothing ran, or it was not JavaScript's: only what is worked counts.
    if (functionName === "(idle)") continue;
    const ms = (timeDeltas[index] ?? 0) / 1_000;
    const file = shortened(url) || functionName || "(native)";
    const name = url === "" ? functionName : `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + ms);
    files.set(file, (files.get(file) ?? 0) + ms);
    total += ms;
  }
  return [
    `Own time by function, of ${Math.round(total)} ms:`,
    list(functions, total),
    "By file:",
    list(files, total),
  ].join("\n");
}

const shortened = (url: string): string => url.replace(/^.*\/(?=(?:dist|node_modules|bench)\/)/, "");

function list(times: ReadonlyMap<string, number>, total: number): string {
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return sorted
    .map(([name, ms]) => `${((100 * ms) / total).toFixed(1).padStart(6)} %  ${ms.toFixed(0).padStart(6)} ms  ${name}`)
    .join("\n");
}
