import { request } from "node:http";
import type { Attack } from "./attacks.ts";
import { ask, startTarget, type Target } from "./rig.ts";

/* What a token that may only read can make the admin API do. */

const turnsOf = <Turn>(count: number, turn: (i: number) => readonly Turn[]) =>
  Array.from({ length: count }, (_, i) => turn(i)).flat();

const short = (count: number) => turnsOf(count, () => [{ role: "assistant", content: "x" }]);

const calling = (count: number) =>
  turnsOf(count, (i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: `{"n":${i}}` } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content: `text ${i}` },
  ]);

const questions: readonly { readonly name: string; readonly messages: () => readonly unknown[] }[] = [
  { name: "a conversation of 40,000 short turns", messages: () => short(40_000) },
  { name: "a conversation of 40,000 calls", messages: () => calling(40_000) },
  { name: "a conversation of 80,000 calls", messages: () => calling(80_000) },
];

const bodies = {
  "dry-run": (messages: readonly unknown[]) => ({ policy: "default", conversations: [{ model: "m", messages }] }),
  decide: (messages: readonly unknown[]) => ({ request: { model: "m", messages } }),
};

const computing: Attack = {
  name: "1, 6: computing by the admin API",
  async run(dist) {
    const target = await startTarget(dist);
    const rows: [string, string][] = [];
    for (const { name, messages } of questions)
      for (const [path, bodyOf] of Object.entries(bodies)) {
        const body = JSON.stringify(bodyOf([{ role: "user", content: "go" }, ...messages()]));
        const { ms, cpuMs, value } = await target.silence(() =>
          ask(`${target.url}/unloop/api/${path}`, { body }).catch((error: unknown) => ({
            status: String(error),
            ms: 0,
          })),
        );
        const came = `healthz silent for ${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of CPU); ${value.status} after ${value.ms.toFixed(0)} ms`;
        rows.push([`${path}, ${name}, ${(body.length / 1e6).toFixed(1)} MB`, came]);
      }
    await target.stop();
    return rows;
  },
};

/** Sends blanks without end, of no declared length, until it is answered. */
async function endless(target: Target, path: string, pieces: number): Promise<{ status: string; most: number }> {
  let most = target.rssMb();
  const timer = setInterval(() => {
    most = Math.max(most, target.rssMb() || 0);
  }, 20);
  const status = await new Promise<string>((resolve) => {
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const sent = request(`${target.url}/unloop/api/${path}`, { method: "POST", headers });
    sent.on("response", (answer) => resolve(String(answer.statusCode)));
    sent.on("error", (error) => resolve(error.message));
    const piece = Buffer.alloc(1_000_000, 0x20);
    let left = pieces;
    const write = () => {
      while (left-- > 0) if (!sent.write(piece)) return void sent.once("drain", write);
      sent.end();
    };
    write();
  });
  clearInterval(timer);
  return { status, most };
}

const memory: Attack = {
  name: "5: bodies of the admin API",
  async run(dist) {
    const rows: [string, string][] = [];
    for (const path of ["decide", "dry-run", "explain"]) {
      const target = await startTarget(dist);
      const before = target.rssMb();
      const { status, most } = await endless(target, path, 300);
      rows.push([`${path}, 300 MB in chunks`, `${before.toFixed(0)} -> ${most.toFixed(0)} MB; ${status}`]);
      await target.stop();
    }
    return rows;
  },
};

export const asking: readonly Attack[] = [computing, memory];
