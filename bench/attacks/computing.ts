import { dear, inputs } from "./inputs.ts";
import { chat, startTarget, startWorkerTarget, type Watched } from "./rig.ts";
import { bodyOf } from "./search.ts";

type Rows = readonly (readonly [what: string, came: string])[];

const found = dear.map((one) => ({
  name: `${one.place}, ${one.shape}: ${JSON.stringify(one.pieces)}`,
  body: () => bodyOf(one),
  bytes: [0],
}));

/** How long the health check is silent while one body is handled. */
async function silences(target: Watched, told: () => string): Promise<Rows> {
  const rows: [string, string][] = [];
  let [longest, longestCpu] = [0, 0];
  await chat(target, '{"model":"m","messages":[{"role":"user","content":"hi"}]}');
  for (const { name, body, bytes } of [...inputs, ...found])
    for (const size of bytes)
      for (const streams of [false, true]) {
        const text = Buffer.from(streams ? body(size).replace("{", '{"stream":true,') : body(size));
        const { ms, cpuMs, value } = await target.silence(() => chat(target, text));
        [longest, longestCpu] = [Math.max(longest, ms), Math.max(longestCpu, cpuMs)];
        const came = `healthz silent for ${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU); ${value.status} ${value.verdict} after ${value.ms.toFixed(0)} ms${told()}`;
        rows.push([`${name}, ${(text.length / 1e6).toFixed(2)} MB${streams ? ", streamed" : ""}`, came]);
        process.stderr.write(`   ${rows.at(-1)?.join(": ")}\n`);
      }
  await target.stop();
  return [
    ...rows,
    ["the longest silence of all", `${longest.toFixed(0)} ms; the most of CPU in one ${longestCpu.toFixed(0)} ms`],
  ];
}

export async function onNode(dist: string): Promise<Rows> {
  const target = await startTarget(dist);
  return silences(target, () => `; ${target.rssMb().toFixed(0)} MB`);
}

export const inWorkerd = async (): Promise<Rows> => silences(await startWorkerTarget(), () => "");
