import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Rig, startRig } from "./load/rig.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";
import { type Durations, type Measured, measure } from "./overhead/measure.ts";
import { scenes } from "./overhead/scenes.ts";
import { overviewText, sceneText } from "./overhead/table.ts";
import { type Target, targetNamed, targets } from "./overhead/targets.ts";
import { circumstances, writeUp } from "./report/write-up.ts";

/**
 * What a server between agent and model costs, servers side by side. `--quick` for a look of one to two minutes; `--only unloop,other` with
 * what it is compared with; `--scene small` scenes with this in their name; `--write` puts
 * the results into docs/overhead.md. Reads /proc, and wants two cores: Linux only.
 */
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    scene: { type: "string", default: "" },
    rounds: { type: "string", default: "5" },
    write: { type: "boolean", default: false },
  },
});

const PAGE = resolve(import.meta.dirname, "../docs/overhead.md");

const durations: Durations = values.quick
  ? { rounds: 1, warmUpMs: 1_000, longLoadMs: 0, saturationMs: 800, rateMs: 1_000 }
  : { rounds: Number(values.rounds), warmUpMs: 6_000, longLoadMs: 60_000, saturationMs: 1_200, rateMs: 1_800 };

const chosenScenes = scenes.filter(
  ({ name, isInQuickLook }) => name.includes(values.scene) && (!values.quick || values.scene !== "" || isInQuickLook),
);
const compared: readonly Target[] =
  values.only === undefined
    ? targets
    : targets.filter(({ name }) =>
        ["direct", "bare", ...(values.only ?? "").split(",").map((one) => targetNamed(one).name)].includes(name),
      );

async function compare(rig: Rig): Promise<void> {
  const all: Measured[] = [];
  for (const scene of chosenScenes) {
    process.stderr.write(`${scene.title} …\n`);
    const stages = await measure(rig, compared, scene, durations);
    all.push(...stages);
    console.log(`${sceneText(stages)}\n`);
  }
  console.log(overviewText(all));
  if (values.write) writeUp(PAGE, "overhead", `${measured()}\n\n${overviewText(all)}`);
  const reports = all.flatMap(({ saturation, held, rate }) =>
    [saturation, held, rate].flatMap((one) => [...one.values()].flat()),
  );
  const wrong = wrongOf(reports);
  if (wrong > 0) {
    console.log(`\n${wrong} answers were not as they should be.`);
    process.exitCode = 1;
  }
}

function measured(): string {
  const { rounds, warmUpMs, saturationMs, rateMs } = durations;
  const how = `Medians of ${rounds} interleaved rounds (least..most), ${saturationMs / 1_000} s at saturation and ${rateMs / 1_000} s at each fixed rate in each, after ${warmUpMs / 1_000} s of load.`;
  return circumstances(how);
}

const rig = await startRig();
try {
  await compare(rig);
} finally {
  await rig.stop();
}
