import type { Attack } from "./attacks.ts";
import { inputs } from "./inputs.ts";
import { chat, startTarget } from "./rig.ts";

/** How long the health check is silent while one body is handled. */
const silence: Attack = {
  name: "1, 6: computing time",
  async run(dist) {
    const rows: [string, string][] = [];
    const target = await startTarget(dist);
    await chat(target, { model: "m", messages: [{ role: "user", content: "hi" }] });
    for (const { name, body, bytes } of inputs)
      for (const size of bytes)
        for (const streams of [false, true]) {
          const text = streams ? body(size).replace("{", '{"stream":true,') : body(size);
          const bytesSent = Buffer.from(text);
          const { ms, value } = await target.silence(() =>
            chat(target, bytesSent).catch((error: unknown) => ({ status: String(error), verdict: "-", ms: 0 })),
          );
          const came = `healthz silent for ${ms.toFixed(0)} ms; ${value.status} ${value.verdict} after ${value.ms.toFixed(0)} ms; ${target.rssMb().toFixed(0)} MB`;
          rows.push([`${name}, ${(bytesSent.length / 1e6).toFixed(2)} MB${streams ? ", streamed" : ""}`, came]);
          process.stderr.write(`   ${rows.at(-1)?.join(": ")}\n`);
        }
    await target.stop();
    return rows;
  },
};

export const computing: readonly Attack[] = [silence];
