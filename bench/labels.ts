import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { promMetrics } from "../src/admin/metrics/prometheus.ts";
import { sha256Hex } from "../src/text/keyed-hash.ts";
import { startRig } from "./load/rig.ts";
import { over, ratio } from "./overhead/figures.ts";
import { spread, table } from "./overhead/markdown.ts";
import { inRounds, order, started } from "./overhead/measure.ts";
import { scenes } from "./overhead/scenes.ts";
import { type How, startUnloop, type Target, type TargetName } from "./overhead/targets.ts";
import { circumstances, writeUp } from "./overhead/write-up.ts";
import { wrongOf } from "./overhead/wrong-answers.ts";

/**
 * What it costs an exchange to be counted under a tenant and a rule beside an audit: the same server with and without, twice without to show the
 * noise. `--rounds 25`; `--scene small-json`; `--write` puts the table into docs/overhead.md.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "25" },
    scene: { type: "string", default: "small-json" },
    write: { type: "boolean", default: false },
  },
});
const [scene] = scenes.filter(({ name }) => name === values.scene);
if (scene === undefined) throw new Error(`There is no scene ${values.scene}.`);
const [ROUNDS, WARM_UP_MS, ROUND_MS] = [Number(values.rounds), 6_000, 1_500];

const folder = mkdtempSync(join(tmpdir(), "unloop-labels-"));
const key = "ul-of-this-benchmark";
const config = join(folder, "unloop.yaml");
writeFileSync(
  config,
  `rules: [{ name: all-of-research, when: { tenant: research }, policy: default }]
clients: [{ name: bot, tenant: research, sha256: ${sha256Hex(key)} }]
`,
);
const team = { UNLOOP_CONFIG: config, UNLOOP_AUDIT: join(folder, "audit.jsonl") };
const keyed = { authorization: `Bearer ${key}` };

const target = (
  name: TargetName,
  title: string,
  headers: Readonly<Record<string, string>>,
  env: NonNullable<How["env"]>,
): Target => ({
  name,
  title,
  async start(port) {
    const running = await startUnloop(port, { env });
    return { ...running, address: { ...running.address, headers } };
  },
});
const targets: readonly Target[] = [
  target("unloop", "without", {}, {}),
  target("unloop-again", "without, once more", {}, {}),
  target("unloop-labels", "client key, tenant, rule, audit", keyed, team),
  target("unloop-genai", "the same, and GenAI metrics", keyed, { ...team, OTEL_METRICS_EXPORTER: "prometheus" }),
];

const rig = await startRig();
try {
  const all = await started(rig, targets);
  try {
    await rig.answer({ shape: scene.shape, delayMs: 0, pace: scene.pace });
    const play = (one: (typeof all)[number], ms: number) => rig.play(order(one, scene, { kind: "saturation", ms }));
    for (const one of all) await play(one, WARM_UP_MS);
    const reports = await inRounds(all, ROUNDS, (one) => play(one, ROUND_MS));
    const costs = (name: TargetName) =>
      (reports.get(name) ?? []).map(({ cpuMs, answered }) => (cpuMs[0] ?? Number.NaN) / answered);
    const rows = targets.map(({ name, title }) => [
      title,
      spread(over(costs(name)), 3),
      spread(ratio(costs(name), costs("unloop")), 2),
    ]);
    const text = table(["Unloop", "CPU of an exchange, ms", "/ without"], rows);
    const how = `Medians of ${ROUNDS} interleaved rounds (least..most) of ${ROUND_MS / 1_000} s at saturation, after ${WARM_UP_MS / 1_000} s of load, beside other work (a load of ${Math.round(loadavg()[2] ?? 0)} on the machine). ${scene.title}.`;
    const written = `${circumstances("npm run bench -- labels", how)}\n\n${text}\n\n${counting()}`;
    console.log(written);
    if (values.write) writeUp(resolve(import.meta.dirname, "../docs/overhead.md"), "labels", written);
    const wrong = wrongOf([...reports.values()].flat());
    if (wrong > 0) {
      console.error(`${wrong} answers were not as they should be.`);
      process.exitCode = 1;
    }
  } finally {
    for (const { running } of all) await running.stop();
  }
} finally {
  await rig.stop();
  rmSync(folder, { recursive: true });
}

/** What counting alone costs, in one process, where noise is small: the sums of one exchange, under one of 15 teams or none. */
function counting(): string {
  const EXCHANGES = 200_000;
  const used = {
    inputTokens: 9,
    cachedTokens: 1,
    outputTokens: 3,
    inLoop: 0,
    avoided: 0,
    keptBack: 0,
    answered: 0,
    sessions: 0,
  };
  const teams = Array.from({ length: 15 }, (_, i) => ({ tenant: `team-${i}`, rule: `rule-${i}` }));
  const ofRound = (given: readonly object[]) => {
    const metrics = promMetrics();
    const from = performance.now();
    for (let i = 0; i < EXCHANGES; i += 1) {
      const team = given[i % given.length] ?? {};
      metrics.exchange("ok", 0.0004, false, "tail", team);
      metrics.spent(used, { ...team, policy: "default", arm: undefined });
    }
    return ((performance.now() - from) * 1_000) / EXCHANGES;
  };
  const rounds = Array.from({ length: 7 }, () => ({ none: ofRound([{}]), some: ofRound(teams) }));
  const told = (which: "none" | "some") => spread(over(rounds.map((round) => round[which])), 2);
  return `Counting alone, in one process: ${told("none")} µs an exchange without labels, ${told("some")} µs under one of 15 tenants and rules.`;
}
