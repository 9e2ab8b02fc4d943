import type { Attack } from "./attacks.ts";
import { inputs } from "./inputs.ts";
import { chat, startTarget, startWorkerTarget, type Watched } from "./rig.ts";

type Rows = readonly (readonly [what: string, came: string])[];

/** How long the health check is silent while one body is handled. @param rssMb undefined where that is not the guard's alone */
async function silences(target: Watched, rssMb?: () => number): Promise<Rows> {
  const rows: [string, string][] = [];
  let [longest, longestCpu] = [0, 0];
  await chat(target, { model: "m", messages: [{ role: "user", content: "hi" }] });
  for (const { name, body, bytes } of inputs)
    for (const size of bytes)
      for (const streams of [false, true]) {
        const text = streams ? body(size).replace("{", '{"stream":true,') : body(size);
        const bytesSent = Buffer.from(text);
        const { ms, cpuMs, value } = await target.silence(() =>
          chat(target, bytesSent).catch((error: unknown) => ({ status: String(error), verdict: "-", ms: 0 })),
        );
        longest = Math.max(longest, ms);
        longestCpu = Math.max(longestCpu, cpuMs);
        const memory = rssMb === undefined ? "" : `; ${rssMb().toFixed(0)} MB`;
        const came = `healthz silent for ${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU); ${value.status} ${value.verdict} after ${value.ms.toFixed(0)} ms${memory}`;
        rows.push([`${name}, ${(bytesSent.length / 1e6).toFixed(2)} MB${streams ? ", streamed" : ""}`, came]);
        process.stderr.write(`   ${rows.at(-1)?.join(": ")}\n`);
      }
  await target.stop();
  return [
    ...rows,
    ["the longest silence of all", `${longest.toFixed(0)} ms; the most of CPU in one ${longestCpu.toFixed(0)} ms`],
  ];
}

const onNode: Attack = {
  name: "1, 6: computing time",
  async run(dist) {
    const target = await startTarget(dist);
    return silences(target, target.rssMb);
  },
};

const inWorkerd: Attack = {
  name: "1, 6: computing in workerd",
  run: async () => silences(await startWorkerTarget()),
};

export const computing: readonly Attack[] = [onNode, inWorkerd];
